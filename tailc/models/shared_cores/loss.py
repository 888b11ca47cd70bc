"""Losses by rules for overload: requests refused, cut off or degraded, and lost work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.means import mean_and_half
from tailc.models.columns import at_least_a_tenth, percent
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tailc.percentiles import PPM


@dataclass(frozen=True)
class Loss:
    """Lost requests and lost work by rules for overload, as shares of all arrivals.

    refused_ppm, cut_ppm, degraded_ppm: share of the requests, rounded up, so 0 only if none.
    work_ppm: share of the work that was not done for any reason. low_ppm, high_ppm: its 95 %
    interval over the replications, None with one.
    """

    refused_ppm: int
    cut_ppm: int
    degraded_ppm: int
    work_ppm: int
    low_ppm: int | None
    high_ppm: int | None


@dataclass(frozen=True)
class LossTimes:
    """Numbers of refused, cut off and degraded requests in one replay, and lost work [ns].

    offered_ns: work of all arrivals. lost_ns: the part that was not done.
    """

    arrived: int
    refused: int
    cut: int
    degraded: int
    offered_ns: float
    lost_ns: float


def loss_times(outcome: SharedCoresOutcome, work_ns: NDArray[np.int64]) -> LossTimes | None:
    """Compute the losses of a replay; None without a rule for overload."""
    if outcome.losses is None:
        return None
    part, losses = outcome.measured, outcome.losses
    offered_ns = work_ns[part]
    return LossTimes(
        len(offered_ns),
        int(outcome.is_refused[part].sum()),
        int(outcome.is_cut[part].sum()),
        int(losses.is_degraded[part].sum()),
        float(offered_ns.sum()),
        float(losses.lost_ns[part].sum()),
    )


def loss_of(repeats: Sequence[LossTimes]) -> Loss:
    """Combine the losses by overload of all replications, with an interval of the lost work."""
    arrived = sum(one.arrived for one in repeats)
    shares = [one.lost_ns / one.offered_ns for one in repeats]
    mean, half = mean_and_half(shares)
    return Loss(
        refused_ppm=_share_ppm(sum(one.refused for one in repeats), arrived),
        cut_ppm=_share_ppm(sum(one.cut for one in repeats), arrived),
        degraded_ppm=_share_ppm(sum(one.degraded for one in repeats), arrived),
        work_ppm=round(mean * PPM),
        low_ppm=None if half is None else math.floor(max(mean - half, 0.0) * PPM),
        high_ppm=None if half is None else math.ceil(min(mean + half, 1.0) * PPM),
    )


def loss_sentence(loss: Loss) -> str:
    """A sentence on the losses by rules for overload, even if there are none."""
    shares = {"refused": loss.refused_ppm, "cut off": loss.cut_ppm, "degraded": loss.degraded_ppm}
    parts = [f"{at_least_a_tenth(ppm)} of requests {what}" for what, ppm in shares.items() if ppm]
    if not parts:
        return "nothing is lost by the rules for overload"
    limits = ""
    if loss.low_ppm is not None and loss.high_ppm is not None:
        limits = f" ({percent(loss.low_ppm)} .. {percent(loss.high_ppm)})"
    return f"{percent(loss.work_ppm)} of the work is lost{limits}: {', '.join(parts)}"


def _share_ppm(count: int, arrived: int) -> int:
    """Share in millionths, rounded up, so 0 only if the count is 0."""
    return -(-count * PPM // arrived)
