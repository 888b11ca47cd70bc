"""Energy of a run over that of a reference baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailc.experiment.comparison import Run
from tailc.percentiles import PPM


def reference(runs: Sequence[Run]) -> Run | None:
    """The baseline whose energy the others' is told by: TL, else the first, of those given.

    With clocks the first is one frequency, where baselines are not named.
    """
    by_name = {run.subject: run for run in reversed(runs)}
    return by_name.get("TL", runs[0] if runs else None)


def with_ratio(run: Run, base: Run | None, other_ppm: int) -> Run:
    """The run with its energy, free cores included, over the base's.

    `other_ppm` is the share of the base's server that is neither: it draws alike in both.
    """
    if run.cores is None or base is None or base.cores is None:
        return run
    drawn, based = (use.request_us + use.idle_us for use in (run.cores, base.cores))
    if run.load.is_overloaded or base.load.is_overloaded or not based:
        return run
    cpu = drawn / based
    whole = (1 - other_ppm / PPM) * cpu + other_ppm / PPM
    ratios = {"relative_ppm": round(cpu * PPM), "whole_ppm": round(whole * PPM)}
    return replace(run, cores=replace(run.cores, **ratios))
