"""Drift of machines since the compile of a policy of CPU shares, from held-out measurements.

The model of a machine is t' = a t + b r (Bartolini, 2015, eq. 2.1): throughput t and share r of a
step give the throughput t' of the next. Two quantities describe it:

- its steady throughput per share, b / (1 - a). Its present value is the mean throughput over the
  mean share, which is known even if shares hardly change.
- the coefficient a of the previous throughput, by least squares on the held-out rows.

Intervals are from resampled blocks of n held-out rows, widened by sqrt(1 + n / m) for the m rows of
the compile, from which the policy's model has a sampling error, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Severity
from tailc.experiment.block_means import HIGH, LOW, MeanError, bootstrap_blocks, to_ppm
from tailc.experiment.options import VerifyOptions
from tailc.experiment.recorded_periods import shares_of
from tailc.forms.shares import MILLI, Machine
from tailc.models.cpu_shares.recorded_machines import SMALLEST_SPREAD
from tailc.percentiles import PPM
from tailc.traces.throughput import Pairs, ThroughputTrace, pairs
from tailc.units import plain_ppm
from tailc.verify.throughput.verdict import MachineDrift

Floats = NDArray[np.float64]
# Fewer steps give no useful interval.
FEWEST_STEPS = 20
# Smaller changes are no reason to compile again: a tenth of the throughput, as of a mean demand;
# and an error of a that leaves less than a fifth of a change for the next step.
MATERIAL_THROUGHPUT_PPM = 100_000
MATERIAL_MEMORY_PPM = 200_000
# A change in a sentence is rounded to tenths of a percent, an a to hundredths.
_TENTH_PPM, _HUNDREDTH_PPM = 1_000, 10_000


def drifts(
    policy: Policy, held_out: ThroughputTrace, options: VerifyOptions
) -> tuple[MachineDrift | None, ...]:
    """Drift of each machine with a target since the policy was compiled.

    None if fewer than `FEWEST_STEPS` were measured, if no work was done, and for the rows of the
    compile themselves.
    """
    shares = shares_of(policy)
    compiled = {part.role: part for part in policy.inputs}
    design = compiled.get(InputRole.DESIGN)
    own = {part.digest for role, part in compiled.items() if role is not InputRole.HELD_OUT}
    if design is None or held_out.digest in own:
        return (None,) * len(shares.served_machines)
    widening = math.sqrt(1 + held_out.rows / design.rows)
    found = []
    settings = dict(policy.evidence.settings)
    for at, machine in enumerate(shares.served_machines):
        # Numbers after those of the draws for a machine's three errors.
        draw = (options.seed, 3 * len(shares.served_machines) + at, options.replicates)
        rows = _steps(held_out, machine.name, shares.step_us)
        most_milli = settings.get(f"machine_{at + 1}_most_milli")
        steady = _steady(machine, most_milli, shares.host_ppm)
        found.append(None if rows is None else drift(machine, steady, rows, widening, draw))
    return tuple(found)


def _steady(machine: Machine, most_milli: int | None, host_ppm: int) -> float:
    """Compiled steady throughput of a machine with the whole host [1/s], b / (1 - a).

    `most_milli` of the evidence is that of the measured model with the share `host_ppm`. The first
    model of the policy may differ: that for a constant share needs this share for the target.
    """
    if most_milli:
        return most_milli / MILLI * PPM / host_ppm
    return machine.first_b_milli / MILLI / (1 - machine.first_a_ppm / PPM)


def drift(
    machine: Machine, steady: float, rows: Pairs, widening: float, draw: tuple[int, int, int]
) -> MachineDrift:
    """Drift of a machine: change of its throughput at the same share, and of its coefficient a.

    steady: throughput per share at the compile [1/s]. rows: held-out steps. widening: factor on the
    intervals. draw: seed, number of the random stream, and replicates of the bootstrap. Flagged if
    an interval lies on one side of zero and its estimate is material. The change of a is None if
    shares hardly change.
    """
    is_varied = float(np.ptp(rows.share)) >= SMALLEST_SPREAD
    moments = np.column_stack(
        [
            rows.now,
            rows.share,
            rows.before * rows.before,
            rows.before * rows.share,
            rows.share * rows.share,
            rows.before * rows.now,
            rows.share * rows.now,
        ]
    )
    sums = [moments[at].sum(axis=0) for at in bootstrap_blocks(len(rows.now), *draw)]
    whole, drawn = moments.sum(axis=0), np.array(sums)
    throughput = _shift(_by_share(whole) / steady - 1, _by_share(drawn) / steady - 1, widening)
    memory = None
    if is_varied:
        first_a = machine.first_a_ppm / PPM
        memory = _shift(_memory(whole) - first_a, _memory(drawn) - first_a, widening)
    flags = (
        _is_beyond(throughput, MATERIAL_THROUGHPUT_PPM),
        memory is not None and _is_beyond(memory, MATERIAL_MEMORY_PPM),
    )
    return MachineDrift(throughput, memory, is_flagged=any(flags))


def drift_findings(
    policy: Policy, found: tuple[MachineDrift | None, ...], held_out: ThroughputTrace
) -> tuple[Finding, ...]:
    """Warn of each machine whose throughput has drifted, at its first row."""
    shares = shares_of(policy)
    hint = "compile again on newer rows, or check that this is a trace of the same service"
    return tuple(
        Finding(
            Code.DRIFT,
            f"`{machine.name}` has drifted: {next(_sentences(machine, drift))}",
            held_out.place(machine.name, held_out.reading.columns.throughput),
            hint,
            Severity.WARNING,
        )
        for machine, drift in zip(shares.served_machines, found, strict=True)
        if drift is not None and drift.is_flagged
    )


def _steps(held_out: ThroughputTrace, name: str, step_us: int) -> Pairs | None:
    """One pair a step of the machine; None if there are too few, or no work was done."""
    series = held_out.series_of(name)
    rows = None if series is None else pairs(series, step_us)
    if series is None or rows is None:
        return None
    lag = round(step_us / series.interval_us)
    rows = rows.part(slice(None, None, lag)).with_work
    is_used = len(rows.now) >= FEWEST_STEPS and rows.now.any() and rows.share.any()
    return rows if is_used else None


def _by_share(moments: Floats) -> Floats:
    """Throughput over share, from moments (..., 7); 0 for a draw without any share."""
    now, share = moments[..., 0], moments[..., 1]
    return np.divide(now, share, out=np.zeros_like(now), where=share > 0)


def _memory(moments: Floats) -> Floats:
    """The least squares a, from moments (..., 7); 0 if it cannot be separated from b."""
    xx, xu, uu, xy, uy = np.moveaxis(moments, -1, 0)[2:]
    determinant = xx * uu - xu * xu
    return np.divide(
        uu * xy - xu * uy, determinant, out=np.zeros_like(determinant), where=determinant > 0
    )


def _shift(estimate: Floats, drawn: Floats, widening: float) -> MeanError:
    """The estimate with the interval of the draws, widened about it."""
    low, high = np.quantile(drawn, [LOW, HIGH])
    middle = float(estimate)
    low, high = (middle + (float(limit) - middle) * widening for limit in (low, high))
    return MeanError(to_ppm(middle), to_ppm(min(low, middle)), to_ppm(max(high, middle)))


def _is_beyond(shift: MeanError, material_ppm: int) -> bool:
    return abs(shift.ppm) >= material_ppm and (shift.low_ppm > 0 or shift.high_ppm < 0)


def _sentences(machine: Machine, drift: MachineDrift) -> Iterator[str]:
    """A sentence on each flagged change, throughput first."""
    if _is_beyond(drift.throughput, MATERIAL_THROUGHPUT_PPM):
        yield _throughput_sentence(drift.throughput)
    if drift.memory is not None and _is_beyond(drift.memory, MATERIAL_MEMORY_PPM):
        yield _memory_sentence(machine.first_a_ppm, machine.first_a_ppm + drift.memory.ppm)


def _throughput_sentence(shift: MeanError) -> str:
    ends = sorted((abs(shift.low_ppm), abs(shift.high_ppm)))
    low, part, high = (_percent(ppm) for ppm in (ends[0], abs(shift.ppm), ends[1]))
    way = "more" if shift.ppm > 0 else "less"
    return (
        f"with the same share it does {part} % {way} work than when the policy was compiled (95 % "
        f"interval {low} .. {high} %)"
    )


def _memory_sentence(before_ppm: int, now_ppm: int) -> str:
    before, now = (
        plain_ppm(round(ppm / _HUNDREDTH_PPM) * _HUNDREDTH_PPM) for ppm in (before_ppm, now_ppm)
    )
    return (
        "the model's coefficient a, which multiplies the throughput of the step before, is now "
        f"{now}, and was {before} when the policy was compiled"
    )


def _percent(ppm: int) -> str:
    return f"{round(ppm / _TENTH_PPM) / 10:.1f}"
