"""Fit a model of throughput by CPU share to each machine.

The model is fitted by least squares over the whole trace and rounded to the artifact's grid. The
rounded model is refused if it is not stable, or if the whole host does not attain the target.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from tailc_solvers.shares.dependence import share_effect
from tailc_solvers.shares.least_squares import Model, least_squares

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.forms.shares import MILLI
from tailc.percentiles import PPM
from tailc.problems.shares import MachineModel, MachineTarget, SharesProblem, SharesSolution
from tailc.progress import Progress, silent
from tailc.traces.throughput import Pairs, pairs
from tailc.units import format_mrps, format_ppm, format_us

# A window shorter than the trace's by this factor has twice the noise.
MOST_TIMES_SHORTER = 4
_WINDOW = ("control", "window")

# Least spread of a machine's shares; below it the noise of throughput hides their effect.
SMALLEST_SPREAD = 0.01
# Two unknowns need two pairs; the others check the fit.
FEWEST_PAIRS = 8
# Standard errors by which the share must change the throughput.
SURELY = 3.0
_VARY = "measure with shares that change at every step, over most of the host"


def solve_for_shares(
    problem: SharesProblem, _threads: int = 1, progress: Progress = silent
) -> SharesSolution:
    """Fit a model to each machine with a target.

    Raises TailcError with every machine that has no usable model (BAD_MODEL), placed in the trace,
    else with every target above what the whole host attains (INFEASIBLE).
    """
    machines = problem.served_machines
    models, findings = [], []
    for number, machine in enumerate(machines):
        progress("fitting models", number / len(machines))
        try:
            models.append(_fit(problem, machine))
        except TailcError as error:
            findings += error.findings
    findings = findings or [
        _unattainable(problem, machine, model)
        for machine, model in zip(machines, models, strict=True)
        if model.target_milli > model.max_milli
    ]
    if findings:
        raise TailcError(findings)
    return SharesSolution(tuple(models), evaluations=len(models))


def shares_settings(problem: SharesProblem, solution: SharesSolution) -> dict[str, int]:
    """Error, maximum throughput and needed share of each machine, for the policy's evidence."""
    settings = {"step_us": problem.step_us}
    for number, model in enumerate(solution.models, start=1):
        settings[f"machine_{number}_error_ppm"] = model.error_ppm
        settings[f"machine_{number}_most_milli"] = model.max_milli
        settings[f"machine_{number}_needs_ppm"] = model.needs_ppm
    return settings


def host_remarks(problem: SharesProblem, solution: SharesSolution) -> tuple[Finding, ...]:
    """Warn of targets above the host's capacity, of shares below the least share, and of noise."""
    below = [
        _under_least(problem, machine, model)
        for machine, model in zip(problem.served_machines, solution.models, strict=True)
        if model.needs_ppm < problem.least_ppm
    ]
    return (*_short_host(problem, solution), *below, *model_remarks(problem, solution))


def _short_host(problem: SharesProblem, solution: SharesSolution) -> tuple[Finding, ...]:
    needed_ppm = sum(max(model.needs_ppm, problem.least_ppm) for model in solution.models)
    if needed_ppm <= problem.host_ppm:
        return ()
    texts = ", ".join(f"`{model.name}` {_percent(model.needs_ppm)}" for model in solution.models)
    message = (
        f"all targets together need {_percent(needed_ppm)} of the host, but only "
        f"{format_ppm(problem.host_ppm)} is available: {texts}; all will be cut in proportion"
    )
    hint = "lower a target, or move a machine to another host"
    about = problem.served_machines[0].about[:1]
    return (Finding(Code.HOST_SHORT, message, None, hint, Severity.WARNING, about),)


def _under_least(problem: SharesProblem, machine: MachineTarget, model: MachineModel) -> Finding:
    message = (
        f"machine `{model.name}` needs {format_ppm(model.needs_ppm)} of the host for "
        f"{format_mrps(model.target_milli)}, but gets at least {format_ppm(problem.least_ppm)}: "
        "it will exceed its target"
    )
    hint = "lower `host.min_share`, or raise the target"
    return Finding(Code.UNDER_LEAST, message, None, hint, Severity.WARNING, machine.about)


def _fit(problem: SharesProblem, machine: MachineTarget) -> MachineModel:
    series = problem.trace.series_of(machine.name)
    if series is None:
        raise _unmeasured_error(problem, machine)
    rows = pairs(series, problem.step_us)
    if rows is None:
        raise _wrong_interval(problem, machine, series.interval_us)
    rows = rows.with_work
    _check_spread(problem, machine, rows)
    model = least_squares(rows.before, rows.share, rows.now)
    if model is None:
        raise _no_model(
            problem,
            machine,
            (
                "share and earlier throughput always change together, so their effects cannot be "
                "separated"
            ),
            _VARY,
        )
    _check_dependence(problem, machine, rows)
    return _in_whole_numbers(problem, machine, model, rows)


def _in_whole_numbers(
    problem: SharesProblem, machine: MachineTarget, model: Model, rows: Pairs
) -> MachineModel:
    a_ppm, b_milli = round(model.a * PPM), round(model.b * MILLI)
    if abs(a_ppm) >= PPM:
        why = (
            f"its coefficient a of the previous throughput would be {model.a:.4g}, which is not "
            "stable"
        )
        raise _no_model(problem, machine, why, _VARY)
    if b_milli <= 0:
        why = (
            f"its coefficient b of the share would be {model.b:.4g}: more share would give no "
            "more throughput"
        )
        raise _no_model(problem, machine, why, "check the columns of throughput and share")
    max_milli = round(b_milli * problem.host_ppm / (PPM - a_ppm))
    target_milli = machine.target_milli
    if target_milli is None:
        target_milli = max(round(max_milli * (machine.target_ppm or 0) / PPM), 1)
    if b_milli * PPM <= problem.least_b_ppm * target_milli:
        why = (
            f"its coefficient b of the share would be {model.b:.4g}, too small relative to the "
            "target for control"
        )
        raise _no_model(problem, machine, why, "lower `control.min_b`, or measure for longer")
    return MachineModel(
        name=machine.name,
        target_milli=target_milli,
        a_ppm=a_ppm,
        b_milli=b_milli,
        error_ppm=round(model.error_rms / float(np.mean(rows.now)) * PPM),
        max_milli=max_milli,
        needs_ppm=math.ceil(target_milli * (PPM - a_ppm) / b_milli),
    )


def _check_spread(problem: SharesProblem, machine: MachineTarget, rows: Pairs) -> None:
    if len(rows.now) < FEWEST_PAIRS:
        is_recorded = problem.trace.reading.columns.waiting is not None
        measured = "measured with requests that wait" if is_recorded else "measured"
        why = f"{len(rows.now)} steps were {measured}, and a model needs {FEWEST_PAIRS}"
        raise _no_model(problem, machine, why, "measure for longer, or state the unit of the times")
    if not rows.now.any():
        raise _no_model(
            problem, machine, "its throughput is 0", ("check the column of the throughput")
        )
    if float(np.ptp(rows.share)) < SMALLEST_SPREAD:
        share = format_ppm(round(float(np.mean(rows.share)) * PPM))
        why = f"its share was {share} all the time, so the effect of another share is unknown"
        raise _no_model(problem, machine, why, _VARY)


def _check_dependence(problem: SharesProblem, machine: MachineTarget, rows: Pairs) -> None:
    if abs(share_effect(rows.before, rows.share, rows.now)) >= SURELY:
        return
    why = (
        f"its throughput does not depend on its share: in {len(rows.now)} steps, the differences "
        "are no larger than chance"
    )
    hint = "check that the machine had more work than it could do, or measure for longer"
    raise _no_model(problem, machine, why, hint)


def _unattainable(problem: SharesProblem, machine: MachineTarget, model: MachineModel) -> Finding:
    host = format_ppm(problem.host_ppm)
    message = (
        f"machine `{model.name}` cannot do {format_mrps(model.target_milli)}: with {host} of the "
        f"host it does at most {format_mrps(model.max_milli)}"
    )
    hint = f"lower its target to {_below(model)}"
    return Finding(Code.INFEASIBLE, message, help=hint, about=machine.about)


def _below(model: MachineModel) -> str:
    """The attainable throughput as text, rounded down to three digits."""
    digits = max(len(str(model.max_milli)) - 3, 0)
    return format_mrps(model.max_milli // 10**digits * 10**digits)


def _no_model(problem: SharesProblem, machine: MachineTarget, why: str, hint: str) -> TailcError:
    place = problem.trace.place(machine.name, problem.trace.reading.columns.share)
    message = f"machine `{machine.name}` has no usable model: {why}"
    return TailcError(Finding(Code.BAD_MODEL, message, place, hint))


def _unmeasured_error(problem: SharesProblem, machine: MachineTarget) -> TailcError:
    place = problem.trace.place(machine.name, problem.trace.reading.columns.machine)
    known = ", ".join(f"`{each.name}`" for each in problem.trace.series)
    message = f"machine `{machine.name}` has a target, but the trace has no rows of it"
    hint = f"measure it too, or correct its name: measured machines: {known}"
    return TailcError(Finding(Code.UNKNOWN_MACHINE, message, place, hint))


def _wrong_interval(problem: SharesProblem, machine: MachineTarget, interval_us: int) -> TailcError:
    place = problem.trace.place(machine.name, problem.trace.reading.columns.time)
    message = (
        f"`{machine.name}` was measured every {format_us(interval_us)}, which does not divide the "
        f"step of {format_us(problem.step_us)}"
    )
    hint = "set `control.step` to a multiple of it, or measure once a step"
    return TailcError(Finding(Code.BAD_MODEL, message, place, hint))


def _percent(ppm: int) -> str:
    return f"{ppm * 100 / PPM:.1f} %"


def model_remarks(problem: SharesProblem, solution: SharesSolution) -> Iterator[Finding]:
    """Warn of each machine whose noise exceeds the tolerance, and of an unsuitable window."""
    yield from _noise(problem, solution)
    yield from _window(problem)


def _noise(problem: SharesProblem, solution: SharesSolution) -> Iterator[Finding]:
    for machine, model in zip(problem.served_machines, solution.models, strict=True):
        if model.error_ppm <= problem.tolerance_ppm:
            continue
        message = (
            f"the model of machine `{model.name}` has a mean error of "
            f"{format_ppm(model.error_ppm)} in a step, more than the tolerance of "
            f"{format_ppm(problem.tolerance_ppm)}: no controller can keep its throughput closer "
            "to the target"
        )
        hint = "measure over a longer window, or raise `tolerance`"
        yield Finding(Code.NOISY_MODEL, message, None, hint, Severity.WARNING, machine.about)


def _window(problem: SharesProblem) -> Iterator[Finding]:
    """Warn of a window shorter than the estimation period, or than the trace's intervals."""
    measured_us = [
        series.interval_us
        for machine in problem.served_machines
        if (series := problem.trace.series_of(machine.name)) is not None
    ]
    window_us, trace_us = problem.window_us, min(measured_us)
    window = format_us(window_us)
    if window_us < problem.estimate_us:
        message = (
            f"`control.window` is {window}, shorter than the {format_us(problem.estimate_us)} from "
            "one estimate to the next: work between two windows is never measured"
        )
    elif window_us * MOST_TIMES_SHORTER < trace_us:
        message = (
            f"`control.window` is {window}, and the trace was measured every {format_us(trace_us)}"
            ": throughput over so much less time varies far more than in the trace"
        )
    else:
        return
    hint = f"set it to {format_us(max(trace_us, problem.estimate_us))}, as in the trace"
    yield Finding(Code.SHORT_WINDOW, message, None, hint, Severity.WARNING, _WINDOW)
