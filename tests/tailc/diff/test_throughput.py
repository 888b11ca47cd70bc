"""What becomes of throughput from one policy of shares to another."""

from __future__ import annotations

import dataclasses

import pytest

from tailc.diff.throughput import throughput_change
from tailc.errors import Code, TailcError
from tailc.experiment.recorded_periods import recorded_periods, shares_of
from tailc.percentiles import PPM
from tests.tailc.verify.throughput.judge_case import ONE, QUICK, policy, series, trace

ROWS = trace(series("one", 0.2, 30.0, 0.05))


def test_a_slower_pole_has_more_error_where_the_model_is_wrong():
    wrong = dataclasses.replace(ONE, first_b_milli=60_000)
    (machine,) = throughput_change(
        policy(wrong), policy(wrong, pole_ppm=950_000), ROWS, QUICK
    ).machines
    assert machine.name == "one"
    assert machine.new_ppm > machine.old_ppm
    assert machine.change.ppm == pytest.approx(machine.new_ppm - machine.old_ppm, abs=2)


def test_noise_that_both_meet_cancels():
    """A slightly other model: the interval is far narrower than either error."""
    other = dataclasses.replace(ONE, first_a_ppm=210_000)
    (machine,) = throughput_change(policy(ONE), policy(other), ROWS, QUICK).machines
    assert machine.change.high_ppm - machine.change.low_ppm < machine.old_ppm / 10


def test_a_machine_that_only_one_has_is_not_compared():
    two = dataclasses.replace(ONE, name="two")
    both = trace(series("one", 0.2, 30.0, 0.05), series("two", 0.2, 30.0, 0.05, seed=2))
    change = throughput_change(policy(ONE), policy(ONE, two), both, QUICK)
    assert [machine.name for machine in change.machines] == ["one"]


def test_a_longer_window_is_compared_from_the_step_that_both_have_a_full_one():
    """A window of two steps is full a step later: what came before counts for neither."""
    longer = policy(ONE, window_us=1_500_000)
    changed = throughput_change(policy(ONE), longer, ROWS, QUICK)
    before = recorded_periods(shares_of(policy(ONE)), ROWS)
    after = recorded_periods(shares_of(longer), ROWS)
    first = after.outcome.settling
    assert (before.outcome.settling, first) == (1, 2)
    wanted = [
        float(abs(each.outcome.throughput[0, first:] / 10 - 1).mean()) for each in (before, after)
    ]
    (machine,) = changed.machines
    assert changed.steps == before.steps - first
    assert (machine.old_ppm, machine.new_ppm) == tuple(round(error * PPM) for error in wanted)


def test_steps_of_different_length_cannot_be_compared():
    longer = policy(ONE, step_us=1_500_000, window_us=1_500_000)
    with pytest.raises(TailcError) as caught:
        throughput_change(policy(ONE), longer, ROWS, QUICK)
    (finding,) = caught.value.findings
    assert finding.code is Code.USAGE
    assert "every 750 ms and every 1.5 s" in finding.message


def test_rows_in_which_not_both_have_a_full_window_are_refused():
    """The old policy has four steps, of which the tenth would be the first that counts."""
    two = dataclasses.replace(ONE, name="two")
    short = series("two", 0.2, 30.0, 0.05, steps=5)
    both = trace(series("one", 0.2, 30.0, 0.05), short)
    longer = policy(ONE, window_us=7_500_000)
    with pytest.raises(TailcError) as caught:
        throughput_change(policy(ONE, two), longer, both, QUICK)
    (finding,) = caught.value.findings
    assert finding.code is Code.EMPTY_TRACE
    assert "4 steps of 750 ms" in finding.message
