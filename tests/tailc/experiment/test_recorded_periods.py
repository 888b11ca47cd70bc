"""A form of shares on the machines behind rows: which rows count, and shares that are given."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.experiment.recorded_periods import recorded_periods, share_rules
from tailc.forms.shares import Machine
from tests.tailc.models.cpu_shares.hosts import shares_of
from tests.tailc.verify.throughput.judge_case import ONE, STEP_US, series, trace

ROWS = trace(series("one", 0.2, 30.0, 0.1))


def test_at_the_recorded_shares_the_error_is_that_of_what_was_measured():
    """The first of 200 rows has none before it, and the second is before a window is full."""
    found = recorded_periods(shares_of(ONE), ROWS).replay_baseline("recorded")
    measured = ROWS.series[0].throughput[2:] / 10
    assert found.errors[0] == pytest.approx(np.abs(measured - 1).mean(), rel=1e-4)
    assert found.shares[0] == pytest.approx(ROWS.series[0].share[1:].mean(), abs=1e-6)


def test_no_share_that_is_named_is_better_than_the_best_static_one():
    periods = recorded_periods(shares_of(ONE), ROWS)
    best = periods.replay_baseline("static")
    named = [
        periods.replay_baseline(f"static-{part}%").errors[0]
        for part in (10, 20, 25, 27, 30, 50, 100)
    ]
    assert min(named) >= best.errors[0]
    # 10 (1 - 0.2) / 30 is about 27 %.
    assert min(named) == named[3]


def test_named_shares_that_are_more_than_the_host_are_cut_in_proportion():
    two = dataclasses.replace(ONE, name="two")
    rows = trace(series("one", 0.2, 30.0, 0.1), series("two", 0.2, 30.0, 0.1, seed=2))
    assert recorded_periods(shares_of(ONE, two), rows).replay_baseline("static-80%").shares == (
        0.5,
        0.5,
    )


def test_an_equal_part_is_that_of_batch_machines_too():
    batch = Machine("batch", None, 0, 1)
    assert recorded_periods(shares_of(ONE, batch), ROWS).replay_baseline("fair").shares == (0.5,)


@pytest.mark.parametrize("name", ["static-0%", "static-101%", "static-3ms"])
def test_a_part_of_the_host_is_a_percentage(name):
    with pytest.raises(TailcError, match="baseline `static-"):
        share_rules().make_rule(name)


def test_the_order_of_machines_in_policy_and_rows_says_nothing():
    two = Machine("two", 40_000, 100_000, 90_000)
    rows = (series("one", 0.2, 30.0, 0.1), series("two", 0.1, 90.0, 0.02, seed=2))
    one_first = recorded_periods(shares_of(ONE, two), trace(*rows)).outcome
    two_first = recorded_periods(shares_of(two, ONE), trace(*rows[::-1])).outcome
    assert (one_first.throughput == two_first.throughput[::-1]).all()
    assert (one_first.share == two_first.share[::-1]).all()


def test_machines_meet_at_the_time_of_their_rows_and_not_at_their_number():
    """The second was measured 50 steps later: the first's rows before that say nothing."""
    two = dataclasses.replace(ONE, name="two")
    early, late = series("one", 0.2, 30.0, 0.1), series("two", 0.2, 30.0, 0.1, seed=2)
    late = dataclasses.replace(late, time_us=late.time_us + 50 * STEP_US)
    found = recorded_periods(shares_of(ONE, two), trace(early, late))
    assert found.steps == 149
    assert found.machines[0].share == pytest.approx(early.share[51:])
    assert found.machines[1].share == pytest.approx(late.share[1:150])


def test_machines_that_were_never_measured_together_are_refused():
    two = dataclasses.replace(ONE, name="two")
    early, late = series("one", 0.2, 30.0, 0.1), series("two", 0.2, 30.0, 0.1)
    late = dataclasses.replace(late, time_us=late.time_us + 400 * STEP_US, row=late.row + 200)
    with pytest.raises(TailcError) as caught:
        recorded_periods(shares_of(ONE, two), trace(early, late))
    (finding,) = caught.value.findings
    assert "`two` was measured from 300.75 s on, and `one` until 150 s" in finding.message
    assert finding.place is not None
    assert finding.place.row == 201
    assert finding.help


def test_every_machine_that_did_nothing_is_told():
    two = dataclasses.replace(ONE, name="two")
    idle = [
        dataclasses.replace(each, throughput=np.zeros(200))
        for each in (series("one", 0.2, 30.0, 0.1), series("two", 0.2, 30.0, 0.1))
    ]
    with pytest.raises(TailcError) as caught:
        recorded_periods(shares_of(ONE, two), trace(*idle))
    assert [f.message.split("`")[1] for f in caught.value.findings] == ["one", "two"]
    assert all("divide the" in f.message for f in caught.value.findings)


def test_rows_that_do_not_divide_a_step_are_refused():
    rows = series("one", 0.2, 30.0, 0.1)
    rows = dataclasses.replace(rows, time_us=rows.time_us * 2)
    with pytest.raises(TailcError) as caught:
        recorded_periods(shares_of(ONE), trace(rows))
    assert caught.value.findings[0].code is Code.BAD_MODEL
