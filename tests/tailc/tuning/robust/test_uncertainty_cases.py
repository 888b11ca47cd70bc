"""Which cases a set of doubts has, and what they are."""

from dataclasses import replace

import numpy as np
import pytest

from tailc.specs.robust import Ambiguity
from tailc.traces.day_of import RowDays
from tailc.tuning.robust.uncertainty_cases import MEASURED, slowed_on, uncertainty_cases
from tests.tailc.tuning.case import exponential, ladder
from tests.tailc.tuning.power_case import SLOW

ALL = Ambiguity(100_000, 200_000, 900_000, 50_000, 250_000, "day", 2)
LOAD = exponential(1_000, 30.0)


def days() -> RowDays:
    """Four days and one without requests; the longest requests are of the third."""
    number = np.tile([0, 1, 3], 334)[:1_000].astype(np.int32)
    number[LOAD.work_ns >= LOAD.work_at(901)] = 2
    return RowDays(("mon", "tue", "wed", "thu", "fri"), number)


def test_every_error_is_a_case_by_itself():
    found = uncertainty_cases(LOAD, ALL, days())
    names = [one.name for one in found]
    assert names[:5] == [
        MEASURED,
        "demand +10 %",
        "demand -10 %",
        "tail +20 % above p90",
        "speed-ups -5 %",
    ]
    assert names[5] == "day wed +25 %"
    assert len(names[5:8]) == len({name for name in names[5:8] if name.startswith("day ")})
    assert names[8:] == ["resample 1", "resample 2"]
    assert found[0].load is LOAD
    assert {one.load.requests for one in found} == {1_000}


def test_the_cases_move_what_they_say():
    by_name = {one.name: one.load for one in uncertainty_cases(LOAD, ALL, days())}
    mean = {
        name: float(np.average(one.work_ns, weights=one.weight)) for name, one in by_name.items()
    }
    measured = mean[MEASURED]
    assert mean["demand +10 %"] == pytest.approx(1.1 * measured)
    assert mean["demand -10 %"] == pytest.approx(0.9 * measured)
    # An exponential tail above its tenth is as long as the mean.
    assert mean["tail +20 % above p90"] == pytest.approx(measured * (1 + 0.2 * 0.1), rel=0.01)
    assert by_name["speed-ups -5 %"].speed[0].tolist() == pytest.approx([1, 1.71, 2.28])
    long = LOAD.work_at(901)
    share = {
        name: float(one.weight[one.work_ns >= long].sum() / one.requests)
        for name, one in by_name.items()
    }
    assert share["day wed +25 %"] == pytest.approx(0.75 * share[MEASURED] + 0.25, abs=0.002)


def test_what_is_not_in_doubt_has_no_case():
    none = Ambiguity(0, 0, 900_000, 0, 0, None, 0)
    assert [one.name for one in uncertainty_cases(LOAD, none, None)] == [MEASURED]


def test_a_single_day_is_no_mixture():
    one = RowDays(("mon", "tue"), np.zeros(1_000, np.int32))
    assert not [d for d in uncertainty_cases(LOAD, ALL, one) if d.name.startswith("day ")]


def test_threads_alone_are_no_slower_than_one_and_clocks_are():
    """Speed 1 was measured; a rung below it is as much in doubt as one above."""
    rungs = replace(LOAD, speed=np.array([[0.5, 0.95, 1.0, 1.05, 1.5]]))
    threads, clocks = (slowed_on(table)(rungs, 0.1).speed[0] for table in (ladder((1, 2)), SLOW))
    assert threads.tolist() == pytest.approx([0.5, 0.95, 1.0, 1.0, 1.35])
    assert clocks.tolist() == pytest.approx([0.45, 0.855, 1.0, 1.0, 1.35])
