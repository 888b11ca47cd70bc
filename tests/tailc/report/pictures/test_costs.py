"""Cost against latency: the front is that of all pairs, compared one by one."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tailc.models.core_types.usage import CoreTypesUse
from tailc.models.energy import EnergyUse
from tailc.report.pictures.costs import cost_figure
from tests.tailc.report.page.pages_made import made_policy
from tests.tailc.report.verdicts_made import LOAD, MEETS, point, run, verdicts


def subject(name, thread_time_us, tail_us, **load):
    verdict = replace(MEETS, estimate_us=tail_us, low_us=1, high_us=None)
    return run(name, verdict, load=replace(LOAD, thread_time_us=thread_time_us, **load))


def figure(*runs):
    return cost_figure(made_policy(), verdicts(point("30/s", *runs)), 0)


def test_on_the_front_is_whom_no_other_betters():
    rng = Random(4)
    for _ in range(20):
        values = [(rng.randint(1, 8) * 1_000, rng.randint(1, 8) * 1_000) for _ in range(7)]
        found = figure(*(subject(f"s{place}", *both) for place, both in enumerate(values)))
        assert found is not None
        for (cost, tail), row in zip(values, found.numbers[0].rows, strict=True):
            better = [
                (c, t) for c, t in values if c <= cost and t <= tail and (c < cost or t < tail)
            ]
            assert row[3] == ("no" if better else "yes")


def test_who_does_not_keep_up_is_left_out():
    ours, full = subject("p", 1_000, 2_000), subject("FULL", 500, 1_000, is_overloaded=True)
    assert figure(ours, full) is None
    found = figure(ours, full, subject("SEQ", 900, 3_000))
    assert found is not None
    assert [row[0] for row in found.numbers[0].rows] == ["policy", "SEQ"]


def test_on_cores_the_cost_is_energy_with_that_of_free_cores():
    use = CoreTypesUse(EnergyUse(20_000, None, 4_000, ()), None)
    runs = [replace(subject(name, 1, 5_000), usage=use) for name in ("p", "TL")]
    found = figure(*runs)
    assert found is not None
    assert found.title == "Energy against p99 at 30/s"
    assert found.numbers[0].rows[0][1] == "24"
