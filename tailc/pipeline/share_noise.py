"""Warnings about noisy throughput, and about a window that differs from the trace's."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.errors import Code, Finding, Severity
from tailc.problems.shares import SharesProblem, SharesSolution
from tailc.units import format_ppm, format_us

# A window shorter than the trace's by this factor has twice the noise.
MOST_TIMES_SHORTER = 4
_WINDOW = ("control", "window")


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
