"""The judge of shares: errors on rows of its own, intervals, rulings, and refusals."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tailc.errors import Code, ExitCode, TailcError
from tailc.experiment.block_means import mean_error
from tailc.experiment.ruling import Ruling
from tailc.forms.shares import Machine, ShareCap
from tailc.verify.throughput.judge import verify_throughput
from tests.tailc.verify.throughput.judge_case import ONE, QUICK, STEP_US, policy, series, trace


def test_a_machine_near_its_model_passes_and_a_noisy_one_fails():
    calm = verify_throughput(policy(ONE), trace(series("one", 0.2, 30.0, 0.02)), QUICK)
    wild = verify_throughput(policy(ONE), trace(series("one", 0.2, 30.0, 0.4)), QUICK)
    assert (calm.ruling, calm.exit_code) == (Ruling.PASS, ExitCode.OK)
    assert (wild.ruling, wild.exit_code) == (Ruling.FAIL, ExitCode.MISSED)
    (machine,) = calm.machines
    # Noise of up to 2 % either way is 1 % in the mean.
    assert machine.error.ppm == pytest.approx(10_000, rel=0.4)
    assert machine.model is not None
    assert machine.model.offline.ppm == pytest.approx(10_000, rel=0.15)


def test_an_error_beside_the_tolerance_is_undecided_and_says_how_many_more_steps():
    rows = trace(series("one", 0.2, 30.0, 0.1, steps=60))
    error_ppm = verify_throughput(policy(ONE), rows, QUICK).machines[0].error.ppm
    verdicts = verify_throughput(policy(ONE), rows, QUICK, error_ppm + 500)
    (machine,) = verdicts.machines
    assert (machine.ruling, verdicts.exit_code) == (Ruling.UNDECIDED, ExitCode.UNDECIDED)
    assert machine.more_steps is not None
    assert machine.more_steps > 60


def test_few_steps_decide_nothing():
    verdicts = verify_throughput(policy(ONE), trace(series("one", 0.2, 30.0, 0.0, 15)), QUICK)
    assert verdicts.ruling is Ruling.UNDECIDED
    assert verdicts.machines[0].more_steps == 6


def test_a_target_beyond_the_held_out_machine_is_told_out_of_reach():
    big = dataclasses.replace(ONE, target_milli=36_000)
    (machine,) = verify_throughput(
        policy(big), trace(series("one", 0.2, 24.0, 0.02)), QUICK
    ).machines
    assert not machine.is_attainable
    assert machine.max_milli == pytest.approx(30_000, rel=0.02)
    assert machine.short_ppm > 900_000
    assert machine.ruling is Ruling.FAIL


TWO = Machine("two", 7_000, 200_000, 30_000)


@pytest.mark.parametrize("cap", [None, ShareCap(4, 20, 1_000_000)])
def test_a_machine_without_work_fails_alone_where_the_policy_has_caps(cap):
    """`one` did 4 of 10 a second at any share: without caps it takes what `two` needs."""
    had = series("one", 0.2, 30.0, 0.02)
    idle = np.random.default_rng(2).uniform(3.9, 4.1, len(had.throughput))
    rows = trace(dataclasses.replace(had, throughput=idle), series("two", 0.2, 19.0, 0.02, seed=3))
    one, two = verify_throughput(policy(ONE, TWO, cap=cap), rows, QUICK).machines
    assert one.ruling is Ruling.FAIL
    assert one.max_milli == pytest.approx(4_000, rel=0.01)
    assert (two.ruling is Ruling.PASS, one.capped_ppm > 800_000) == (cap is not None,) * 2
    assert two.capped_ppm == 0


def test_the_best_static_share_is_no_worse_than_an_equal_part():
    (machine,) = verify_throughput(
        policy(ONE), trace(series("one", 0.2, 30.0, 0.1)), QUICK
    ).machines
    static, fair = machine.baselines["static"], machine.baselines["fair"]
    assert static.error_ppm <= fair.error_ppm
    # 10 (1 - 0.2) / 30.
    assert static.share_ppm == pytest.approx(266_667, rel=0.03)


def test_the_verdict_hangs_on_nothing_but_policy_rows_and_seed():
    rows = trace(series("one", 0.2, 30.0, 0.1))
    assert verify_throughput(policy(ONE), rows, QUICK) == verify_throughput(
        policy(ONE), rows, QUICK
    )


def test_the_judge_does_not_take_the_policy_s_word_for_the_machine():
    """A model that is wrong by half is estimated anew, and shows in the compiled model's error."""
    wrong = dataclasses.replace(ONE, first_b_milli=60_000)
    (machine,) = verify_throughput(
        policy(wrong), trace(series("one", 0.2, 30.0, 0.02)), QUICK
    ).machines
    assert machine.model is not None
    assert machine.model.offline.ppm > 500_000
    assert machine.model.online.ppm < 30_000
    assert machine.ruling is Ruling.PASS


@pytest.mark.parametrize("persistence", [0.0, 0.6])
def test_the_interval_of_a_mean_covers_it_nine_times_in_ten_and_more(persistence):
    covered = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        values, now = [], 0.0
        for step in rng.normal(0, 1, 400):
            now = persistence * now + step
            values.append(now)
        error = mean_error(np.array(values) + 10, seed, 0, 100)
        covered += error.low_ppm <= 10_000_000 <= error.high_ppm
    assert covered >= 51


def test_rows_of_the_compile_are_refused():
    rows = trace(series("one", 0.2, 30.0, 0.1))
    own = policy(ONE, digest=rows.digest)
    with pytest.raises(TailcError) as caught:
        verify_throughput(own, rows, QUICK)
    assert caught.value.findings[0].code is Code.COMPILE_TRACE
    allowed = dataclasses.replace(QUICK, allow_compile_trace=True)
    assert verify_throughput(own, rows, allowed).is_compile_trace


@pytest.mark.parametrize("names", [("two",), ("one", "two")])
def test_machines_that_one_side_lacks_are_refused(names):
    rows = trace(*(series(name, 0.2, 30.0, 0.1) for name in names))
    with pytest.raises(TailcError) as caught:
        verify_throughput(policy(ONE), rows, QUICK)
    assert caught.value.findings[0].code is Code.UNKNOWN_MACHINE


def test_machines_that_lack_rows_and_rows_that_lack_a_machine_are_told_at_once():
    two = dataclasses.replace(ONE, name="two")
    rows = trace(series("one", 0.2, 30.0, 0.1), series("tow", 0.2, 30.0, 0.1))
    with pytest.raises(TailcError) as caught:
        verify_throughput(policy(ONE, two), rows, QUICK)
    surplus, missing = list(caught.value.findings)
    assert "`tow` is not a machine of the policy" in surplus.message
    assert "did you mean `two`" in (surplus.help or "")
    assert surplus.place is not None
    assert (surplus.place.row, surplus.place.field) == (1, "machine")
    assert "machine `two` has a target, but the trace has no rows of it" in missing.message
    assert missing.place is not None
    assert missing.place.source == "heldout.csv"


def test_rows_that_end_before_a_window_is_full_are_refused():
    """Of 20 rows 19 have a row before; windows of 20 steps are full one later."""
    rows = trace(series("one", 0.2, 30.0, 0.1, steps=20))
    with pytest.raises(TailcError) as caught:
        verify_throughput(policy(ONE, window_us=20 * STEP_US), rows, QUICK)
    (finding,) = caught.value.findings
    assert finding.code is Code.EMPTY_TRACE
    assert "19 steps of 750 ms" in finding.message
    assert finding.place is not None
    assert finding.place.source == "heldout.csv"
    assert finding.help
    verify_throughput(policy(ONE, window_us=18 * STEP_US), rows, QUICK)
