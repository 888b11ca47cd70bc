"""Speed-up curves: measured, assumed by a policy, and by Amdahl's law."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import PPM, Ladder
from tailc.forms.ladder.units import degrees
from tailc.report.pictures.axis import Axis, count_axis
from tailc.traces.amdahl import amdahl, serial_share
from tailc.traces.profile import DemandProfile
from tailc.traces.speedup_check import falls, is_superlinear, speedup_summary

# Nine of ten requests are between these shares.
_LOW, _HIGH = 0.05, 0.95
# Limits of tick labels below an axis.
_CHARACTERS, _MOST_LINES = 90, 2


@dataclass(frozen=True, eq=False)
class SpeedupPlotData:
    """Speed-ups by place: number of threads or, without threads, number of the rung; from 1.

    measured: mean speed-ups by group of requests, float64 (places,) each. spread: 5 % and 95 %
    quantiles of requests, (2, places); None if all have the same curve. used: speed on the policy's
    rungs by place; empty if rungs and places do not match. serial: serial share of the nearest
    Amdahl curve; None if places are not threads. odd: sentences about unusual curves.
    """

    axis: Axis
    measured: Mapping[str, NDArray[np.float64]]
    spread: NDArray[np.float64] | None
    used: Mapping[int, float]
    serial: float | None
    odd: tuple[str, ...]

    @property
    def places(self) -> range:
        """The positions of the speed-ups: numbers of threads, or of rungs, from 1."""
        (first, *_) = self.measured.values()
        return range(1, len(first) + 1)

    @property
    def law(self) -> Mapping[int, float]:
        """Speed-up by Amdahl's law at each place; empty if places are not threads."""
        if self.serial is None:
            return {}
        speeds = amdahl(1 - self.serial, len(self.places))
        return dict(zip(self.places, speeds, strict=True))


def compute_speedup_curves(
    profile: DemandProfile, ladders: Sequence[Ladder]
) -> SpeedupPlotData | None:
    """Compute the speed-up curves of a sample of requests; None if it has a single degree."""
    if profile.degrees < 2:
        return None
    axis, used = _places(profile, ladders)
    summary = speedup_summary(profile)
    measured, spread = {"all requests": summary.everyone}, None
    if not profile.has_common_curve:
        measured |= {"longest 5 %": summary.longest, "shortest 5 %": summary.shortest}
        spread = _spread(profile)
    if axis.title != "threads":
        return SpeedupPlotData(axis, measured, spread, used, None, ())
    serial = serial_share(summary.everyone)
    return SpeedupPlotData(axis, measured, spread, used, serial, tuple(_odd(profile)))


def _places(profile: DemandProfile, ladders: Sequence[Ladder]) -> tuple[Axis, Mapping[int, float]]:
    """The axis, and the speed of the policy's rungs on it if all requests share one ladder."""
    threads = count_axis("threads", 1, profile.degrees)
    if not ladders:
        return threads, {}
    ladder, texts = ladders[0], degrees(ladders[0])
    names = [rung.name for rung in ladder.rungs]
    if texts is None and len(names) != profile.degrees:
        return threads, {}
    places = range(1, len(names) + 1) if texts is None else texts
    used = {place: rung.speed_ppm / PPM for place, rung in zip(places, ladder.rungs, strict=True)}
    if texts is not None:
        is_one_each = len(ladders) == 1 and len(used) == len(names)
        return threads, used if is_one_each and max(texts) <= profile.degrees else {}
    return _rungs(threads, names), used if len(ladders) == 1 else {}


def _rungs(threads: Axis, names: Sequence[str]) -> Axis:
    """Axis with rung names as labels if all fit in two lines each, else with rung numbers."""
    width = max(int(_CHARACTERS / len(names)), 1)
    lines = [textwrap.wrap(name, width, break_long_words=False) or [name] for name in names]
    if any(len(texts) > _MOST_LINES or max(map(len, texts)) > width for texts in lines):
        return replace(threads, title="rung number")
    ticks = tuple((float(place), "\n".join(texts)) for place, texts in enumerate(lines, start=1))
    return replace(threads, title="rung", ticks=ticks)


def _spread(profile: DemandProfile) -> NDArray[np.float64]:
    """5 % and 95 % quantiles of the speed-ups of requests, (2, degrees)."""
    weight = np.bincount(profile.curve_of, profile.weight, len(profile.curves))
    order = np.argsort(profile.curves, axis=0, kind="stable")
    reached = np.cumsum(weight[order], axis=0) / weight.sum()
    rows = [np.argmax(reached >= share, axis=0) for share in (_LOW, _HIGH)]
    ranked = np.take_along_axis(profile.curves, order, axis=0)
    return np.stack([np.take_along_axis(ranked, row[None], axis=0)[0] for row in rows])


def _odd(profile: DemandProfile) -> list[str]:
    """Sentences about unusual curves, with their number."""
    used = np.flatnonzero(np.bincount(profile.curve_of))
    curves, places = profile.curves[used], np.arange(1.0, profile.degrees + 1)
    whole = "the curve" if len(curves) == 1 else f"of {len(curves):,} curves"
    checks = (
        (falls(curves), "falls as threads are added", "fall as threads are added"),
        (
            is_superlinear(curves, places),
            "is superlinear: a thread adds more speed than the thread before it",
            "are superlinear: a thread adds more speed than the thread before it",
        ),
    )
    return [
        f"{whole} {one}" if len(curves) == 1 else f"{whole} {int(odd.sum()):,} {many}"
        for odd, one, many in checks
        if odd.any()
    ]
