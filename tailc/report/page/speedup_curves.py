"""Speed-ups as measured, as a policy takes them, and by Amdahl's law, at the same places."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import PPM, Ladder
from tailc.forms.ladder.units import degrees
from tailc.report.page.axis import Axis, counted
from tailc.traces.amdahl import amdahl, serial_share
from tailc.traces.profile import DemandProfile
from tailc.traces.speedup_check import falls, is_superlinear, speedup_summary

# Between these are nine of ten requests.
_LOW, _HIGH = 0.05, 0.95
# What there is room for below an axis.
_CHARACTERS, _MOST_LINES = 90, 2


@dataclass(frozen=True, eq=False)
class Speedups:
    """At each place: a degree of parallelism from 1, or else the number of a rung from 1.

    measured: mean speed-ups of groups of requests, (places,) each. is_measured: False where all
    requests follow one curve. spread: where nine of ten requests are, (2, places); None of one
    curve. used: speed on the rungs of the policy; empty where they are no such places. serial: the
    share of Amdahl's law that is nearest to all requests; None where places are no threads.
    odd: what is odd about curves, in words.
    """

    axis: Axis
    measured: Mapping[str, NDArray[np.float64]]
    spread: NDArray[np.float64] | None
    used: Mapping[int, float]
    serial: float | None
    odd: tuple[str, ...]

    @property
    def places(self) -> range:
        """From 1."""
        (first, *_) = self.measured.values()
        return range(1, len(first) + 1)

    @property
    def law(self) -> Mapping[int, float]:
        """By Amdahl; empty where places are no threads."""
        if self.serial is None:
            return {}
        speeds = amdahl(1 - self.serial, len(self.places))
        return dict(zip(self.places, speeds, strict=True))


def speedups_of(profile: DemandProfile, ladders: Sequence[Ladder]) -> Speedups | None:
    """None where the sample has one place alone."""
    if profile.degrees < 2:
        return None
    axis, used = _places(profile, ladders)
    found = speedup_summary(profile)
    measured, spread = {"all requests": found.everyone}, None
    if not profile.has_common_curve:
        measured |= {"longest 5 %": found.longest, "shortest 5 %": found.shortest}
        spread = _spread(profile)
    if axis.title != "threads":
        return Speedups(axis, measured, spread, used, None, ())
    serial = serial_share(found.everyone)
    return Speedups(axis, measured, spread, used, serial, tuple(_odd(profile)))


def _places(profile: DemandProfile, ladders: Sequence[Ladder]) -> tuple[Axis, Mapping[int, float]]:
    """The axis, and the speed of the policy's rungs on it where there is one ladder for all."""
    threads = counted("threads", 1, profile.degrees)
    if not ladders:
        return threads, {}
    ladder, told = ladders[0], degrees(ladders[0])
    names = [rung.name for rung in ladder.rungs]
    if told is None and len(names) != profile.degrees:
        return threads, {}
    places = range(1, len(names) + 1) if told is None else told
    used = {place: rung.speed_ppm / PPM for place, rung in zip(places, ladder.rungs, strict=True)}
    if told is not None:
        is_one_each = len(ladders) == 1 and len(used) == len(names)
        return threads, used if is_one_each and max(told) <= profile.degrees else {}
    return _rungs(threads, names), used if len(ladders) == 1 else {}


def _rungs(threads: Axis, names: Sequence[str]) -> Axis:
    """By name where all names fit, each in two lines; else by number."""
    width = max(int(_CHARACTERS / len(names)), 1)
    lines = [textwrap.wrap(name, width, break_long_words=False) or [name] for name in names]
    if any(len(told) > _MOST_LINES or max(map(len, told)) > width for told in lines):
        return replace(threads, title="rung number")
    ticks = tuple((float(place), "\n".join(told)) for place, told in enumerate(lines, start=1))
    return replace(threads, title="rung", ticks=ticks)


def _spread(profile: DemandProfile) -> NDArray[np.float64]:
    """Speed-ups that one and nineteen of twenty requests do not exceed, (2, degrees)."""
    weight = np.bincount(profile.curve_of, profile.weight, len(profile.curves))
    order = np.argsort(profile.curves, axis=0, kind="stable")
    reached = np.cumsum(weight[order], axis=0) / weight.sum()
    rows = [np.argmax(reached >= share, axis=0) for share in (_LOW, _HIGH)]
    ranked = np.take_along_axis(profile.curves, order, axis=0)
    return np.stack([np.take_along_axis(ranked, row[None], axis=0)[0] for row in rows])


def _odd(profile: DemandProfile) -> list[str]:
    """What is odd, of the curve of all or of those of requests, each with a count."""
    used = np.flatnonzero(np.bincount(profile.curve_of))
    curves, places = profile.curves[used], np.arange(1.0, profile.degrees + 1)
    whole = "the curve" if len(curves) == 1 else f"of {len(curves):,} curves"
    checks = (
        (falls(curves), "falls as threads are added", "fall as threads are added"),
        (
            is_superlinear(curves, places),
            "is superlinear: a thread brings more than the one before",
            "are superlinear: a thread brings more than the one before",
        ),
    )
    return [
        f"{whole} {one}" if len(curves) == 1 else f"{whole} {int(odd.sum()):,} {many}"
        for odd, one, many in checks
        if odd.any()
    ]
