"""Baselines on lanes of cores: which there are, and the budgets they have."""

import dataclasses

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forms.ladder.lanes import (
    Lanes,
    Waking,
    is_on_lanes,
    lane_ladder,
    lanes_of,
    plan_at_any_load,
)
from tailc.forms.ladder.table import Climb, Rule
from tailc.models.execution_model import BaselineSearch, CandidateResult
from tailc.models.smt.model import Smt
from tailc.models.workload import Workload

MS = 1_000
LANES = Lanes(2, 400_000, 250_000)
POLICY = Smt("ours", (lane_ladder(LANES, plan_at_any_load(9 * MS, 2)),))
LOAD = Workload(
    np.array([10**6]), np.ones(1, np.int64), np.zeros(1, np.int32), np.array([[0.6, 1.0]])
)


def made(name: str, tail_ms: int = 53) -> Smt:
    """With a p99 of requests alone of 53 ms, and a target of 100 ms."""
    search = BaselineSearch(lambda _: CandidateResult(tail_ms * MS, None), 990_000, 100 * MS)
    return POLICY.baseline(name, LOAD, search)


def first_row(subject: Smt) -> tuple[Climb, ...]:
    return subject.ladders[0].rows[0].climbs


def test_the_policies_of_the_paper_are_compared_the_most_careful_first():
    names = ("borrow-idle", "fixed", "refresh", "dynamic", "safe", "always-shared")
    assert POLICY.default_baselines(LOAD) == names
    for name in names:
        POLICY.check_baseline(name)
        subject = made(name)
        assert subject.name == name
        assert is_on_lanes(subject.ladders[0])
        assert lanes_of(subject.ladders[0]) == LANES


def test_no_batch_work_is_compared_too_where_cores_sleep_without_it():
    sleeping = dataclasses.replace(POLICY, waking=Waking(batch_ns=719, core_ns=30_000))
    assert sleeping.default_baselines(LOAD) == ("no-batch", *POLICY.default_baselines(LOAD))
    search = BaselineSearch(lambda _: CandidateResult(53 * MS, None), 990_000, 100 * MS)
    without = sleeping.baseline("no-batch", LOAD, search)
    assert (without.has_batch, first_row(without)) == (False, (Climb(0, 1),))
    for name in sleeping.default_baselines(LOAD):
        assert sleeping.baseline(name, LOAD, search).waking == sleeping.waking


def test_the_headroom_is_that_of_requests_without_batch_work():
    def evaluate(subject: Smt) -> CandidateResult:
        return CandidateResult((40 if subject.has_batch else 53) * MS, None)

    fixed = POLICY.baseline("fixed", LOAD, BaselineSearch(evaluate, 990_000, 100 * MS))
    assert fixed.note == "budget 47 ms"


def test_a_budget_is_what_requests_alone_leave_of_the_target():
    fixed = made("fixed")
    assert fixed.note == "budget 47 ms"
    assert first_row(fixed) == (Climb(0, 0), Climb(47 * MS, 1))
    assert Rule.WAITED_START_LAST in fixed.ladders[0].rules


def test_where_requests_alone_miss_the_target_there_is_none():
    assert first_row(made("fixed", tail_ms=120)) == (Climb(0, 1),)


def test_a_budget_may_stand_with_the_name():
    refresh = made("Refresh-20ms")
    assert refresh.note == "budget 20 ms"
    assert first_row(refresh) == (Climb(0, 0), Climb(20 * MS, 1))
    # Of two cores: a third in the system leaves somebody waiting.
    assert [row.first_load for row in refresh.ladders[0].rows] == [1, 3]


def test_dynamic_is_charged_by_harm():
    assert first_row(made("dynamic-20ms"))[-1] == Climb(50 * MS, 1)


def test_the_ends_are_always_alone_and_always_shared():
    assert first_row(made("borrow-idle")) == (Climb(0, 1),)
    assert first_row(made("always-shared")) == (Climb(0, 0),)


@pytest.mark.parametrize("name", ["ee", "seq", "fixed-", "fixed-47", "borrow-idle-5ms", "safe-0x"])
def test_what_fits_no_lanes_is_refused(name):
    with pytest.raises(TailcError) as caught:
        POLICY.check_baseline(name)
    assert caught.value.findings[0].code is Code.USAGE


def test_a_time_where_there_is_no_budget_is_refused_with_the_name_alone():
    with pytest.raises(TailcError) as caught:
        POLICY.check_baseline("no-batch-4ms")
    finding = caught.value.findings[0]
    assert finding.message == (
        "there is no baseline `no-batch-4ms` where rungs are lanes of a core: "
        "`no-batch` takes no parameter"
    )
    assert finding.help == "write `no-batch`"
