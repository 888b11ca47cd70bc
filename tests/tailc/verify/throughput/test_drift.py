"""Drift of machines: what is flagged, what is not, and at which intervals."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tailc.artifact.envelope import Input, InputRole, Policy
from tailc.errors import Code, Severity
from tailc.experiment.options import VerifyOptions
from tailc.forms.shares import Machine
from tailc.verify.throughput.drift import drift_findings, drifts
from tailc.verify.throughput.verdict import MachineDrift
from tests.tailc.verify.throughput.judge_case import ONE, policy, series, trace

# The host does 30 / (1 - 0.2) = 37.5 of it.
A, B = 0.2, 30.0
OPTIONS = VerifyOptions(seed=3)


def compiled(rows: int = 200, *machines: Machine) -> Policy:
    inputs = (Input(InputRole.DESIGN, "0" * 64, rows, rows),)
    return dataclasses.replace(policy(*(machines or (ONE,))), inputs=inputs)


def drift_of(a: float, b: float, noise: float = 0.1, rows: int = 200, seed: int = 1):
    (found,) = drifts(compiled(rows), trace(series("one", a, b, noise, seed=seed)), OPTIONS)
    assert found is not None
    return found


def test_the_same_machine_has_not_drifted():
    found = drift_of(A, B)
    assert not found.is_flagged
    assert found.memory is not None
    assert found.throughput.low_ppm <= 0 <= found.throughput.high_ppm
    assert found.memory.low_ppm <= 0 <= found.memory.high_ppm


def test_a_first_model_for_a_constant_share_is_no_drift():
    """With a b that is a fifth smaller a machine needs a larger share, though it does as much."""
    smaller = dataclasses.replace(ONE, first_b_milli=ONE.first_b_milli * 4 // 5)
    rows = trace(series("one", A, B, 0.1, seed=1))
    without = compiled(200, smaller)
    settings = tuple(sorted((*without.evidence.settings, ("machine_1_most_milli", 37_500))))
    evidence = dataclasses.replace(without.evidence, settings=settings)
    measured = dataclasses.replace(without, evidence=evidence)
    flags = [drifts(one, rows, OPTIONS)[0] for one in (without, measured)]
    assert [one is not None and one.is_flagged for one in flags] == [True, False]


def test_a_machine_that_does_less_by_the_same_share_is_flagged():
    """20 / (1 - 0.2) = 25 of the host, a third less than 37.5; a is as it was."""
    found = drift_of(A, 20.0)
    assert found.is_flagged
    assert found.throughput.ppm == pytest.approx(-333_333, abs=20_000)
    assert found.throughput.high_ppm < -250_000
    assert found.memory is not None
    assert found.memory.low_ppm <= 0 <= found.memory.high_ppm


def test_a_machine_that_does_as_much_more_slowly_is_flagged_by_its_a():
    """15 / (1 - 0.6) = 37.5."""
    found = drift_of(0.6, 15.0)
    assert found.is_flagged
    assert found.throughput.low_ppm <= 0 <= found.throughput.high_ppm
    assert found.memory is not None
    assert found.memory.ppm == pytest.approx(400_000, abs=60_000)


def test_what_is_small_is_not_flagged_however_certain():
    found = drift_of(A, B * 1.05, noise=0.001)
    assert found.throughput.low_ppm > 40_000
    assert not found.is_flagged


def test_of_shares_that_never_change_throughput_is_known_and_a_is_not():
    rows = series("one", 0.0, 20.0, 0.05)
    rows = dataclasses.replace(rows, share=np.full(200, 0.4), throughput=rows.throughput * 0 + 8.0)
    (found,) = drifts(compiled(), trace(rows), OPTIONS)
    assert found is not None
    # 8 by 0.4 is 20 of the host, 37.5 when compiled.
    assert found == MachineDrift(found.throughput, None, is_flagged=True)
    assert found.throughput.ppm == pytest.approx((20 / 37.5 - 1) * 1e6, abs=2)


def test_fewer_rows_of_the_compile_widen_the_interval():
    """sqrt(1 + 199 / 199) to sqrt(1 + 200 / 20) is 2.35 times as wide."""
    many, few = (drift_of(A, B, rows=rows).throughput for rows in (200, 20))
    assert few.ppm == many.ppm
    widths = [each.high_ppm - each.low_ppm for each in (many, few)]
    assert widths[1] / widths[0] == pytest.approx((11 / 2) ** 0.5, rel=1e-3)


def test_the_interval_covers_no_change_nine_times_in_ten():
    """The compile's model is fitted to rows of its own here, and wrong as they make it."""
    covered = np.zeros(2)
    for seed in range(60):
        design = series("one", A, B, 0.2, seed=1_000 + seed)
        before = np.concatenate([[B / 3 / (1 - A)], design.throughput[:-1]])
        regressors = np.column_stack([before, design.share])
        (a, b), *_ = np.linalg.lstsq(regressors, design.throughput, rcond=None)
        own = dataclasses.replace(ONE, first_a_ppm=round(a * 1e6), first_b_milli=round(b * 1e3))
        (found,) = drifts(compiled(200, own), trace(series("one", A, B, 0.2, seed=seed)), OPTIONS)
        assert found is not None
        assert found.memory is not None
        assert not found.is_flagged
        for at, shift in enumerate((found.throughput, found.memory)):
            covered[at] += shift.low_ppm <= 0 <= shift.high_ppm
    assert (covered >= 51).all()


def test_rows_of_the_compile_and_few_steps_tell_no_drift():
    rows = trace(series("one", A, B, 0.1))
    own = dataclasses.replace(compiled(), inputs=(Input(InputRole.DESIGN, rows.digest, 200, 200),))
    assert drifts(own, rows, OPTIONS) == (None,)
    assert drifts(compiled(), trace(series("one", A, B, 0.1, steps=20)), OPTIONS) == (None,)


def test_a_flag_is_a_warning_at_the_machine_s_first_row():
    two = dataclasses.replace(ONE, name="two")
    late = series("two", 0.6, 15.0, 0.05)
    rows = trace(series("one", A, 20.0, 0.001), dataclasses.replace(late, row=late.row + 200))
    both = compiled(400, ONE, two)
    first, second = list(drift_findings(both, drifts(both, rows, OPTIONS), rows))
    assert (first.code, first.severity) == (Code.DRIFT, Severity.WARNING)
    assert "`one` has drifted: with the same share it does 33." in first.message
    assert "% less work than when the policy was compiled (95 % interval 33." in first.message
    assert first.place is not None
    assert (first.place.row, first.place.field) == (1, "throughput")
    assert "`two` has drifted: the model's coefficient a" in second.message
    assert "is now 0.6" in second.message
    assert "and was 0.2 when" in second.message
    assert second.place is not None
    assert second.place.row == 201
    assert first.help
