"""How busy the lanes of cores were: with requests, with batch work, and with neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.forms.ladder.lanes import Lanes, Waking, lanes_of
from tailc.models.outcome import Outcome
from tailc.models.shared_cores.batch import batch_use
from tailc.models.smt.idle import IdleTimes, IdleUse, idle_times, idle_use
from tailc.models.subject import Subject
from tailc.percentiles import PPM


@dataclass(frozen=True)
class LaneUse:
    """How busy the lanes of a core were, in the mean, where rungs are those.

    `batch_ppm`, `low_ppm`, `high_ppm`: as in `BatchUse`. `utilization_ppm`: busy lanes of a core,
    up to 2. `idle`: when that of requests is not.
    """

    batch_ppm: int
    low_ppm: int | None
    high_ppm: int | None
    utilization_ppm: int
    idle: IdleUse


# What the evidence of a policy on lanes says of waking up, where that takes time.
BATCH_WAKE, CORE_WAKE = "wake_ns", "core_wake_ns"
# Beyond what a spec can say, and with the time of a replay on top within 64 bits.
_LONGEST_NS = 2**53


@dataclass(frozen=True, eq=False)
class LaneTimes:
    """One replay: shares of the time of its cores, and the batch work that is given up on all.

    waking: how many lanes had batch work that was not awake yet, beside free cores and others.
    """

    requests: float
    given_up: float
    waking: tuple[float, float]
    idle: IdleTimes


def waking_of(policy: Policy) -> Waking:
    """How long batch work, and a core without any, were taken to wake up by the compile.

    Raises TailcError (BAD_ARTIFACT) for times that are none.
    """
    settings = dict(policy.evidence.settings)
    times_ns = {name: settings.get(name, 0) for name in (BATCH_WAKE, CORE_WAKE)}
    for name, time_ns in times_ns.items():
        if not 0 <= time_ns <= _LONGEST_NS:
            message = f"the evidence says that `{name}` is {time_ns:,}, which is no time to wake up"
            hint = "compile the policy anew"
            raise TailcError(Finding(Code.BAD_ARTIFACT, message, help=hint))
    return Waking(times_ns[BATCH_WAKE], times_ns[CORE_WAKE])


def lane_times(outcome: Outcome) -> LaneTimes | None:
    """What a replay says; None where rungs are not cores of one type."""
    if outcome.energy is None or outcome.resting is None:
        return None
    (requests,) = outcome.utilization_by_pool
    assert requests is not None
    return LaneTimes(requests, outcome.mean_power, outcome.mean_waking, idle_times(outcome))


def lane_use(subject: Subject, repeats: Sequence[LaneTimes]) -> LaneUse:
    """Means over all repeats; the interval is that of the repeats, as for energy, within 0 to 1."""
    lanes = lanes_of(subject.ladders[0])
    batch = batch_work if subject.has_batch else _none
    busy = busy_lanes if subject.has_batch else _requests
    found = batch_use([batch(one, lanes) for one in repeats])
    return LaneUse(
        found.batch_ppm,
        found.low_ppm,
        found.high_ppm,
        round(fmean(busy(one, lanes) for one in repeats) * PPM),
        idle_use(1 - fmean(one.requests for one in repeats), [one.idle for one in repeats]),
    )


def batch_work(one: LaneTimes, lanes: Lanes) -> float:
    """By core, over that beside a free core."""
    return 1 - (one.given_up + lanes.lost_waking(*one.waking)) / lanes.cores


def busy_lanes(one: LaneTimes, lanes: Lanes) -> float:
    """Lanes of a core that are busy, in the mean: that of requests, and that of batch work.

    The latter rests beside a request that is alone, and until it is awake. How often the first is
    follows from the batch work that is given up, all of it there and `batch_slowdown_ppm` of it
    beside any other request.
    """
    slowed = lanes.batch_slowdown_ppm / PPM
    alone = (one.given_up / lanes.cores - slowed * one.requests) / (1 - slowed)
    return one.requests + 1 - alone - sum(one.waking) / lanes.cores


def _none(_one: LaneTimes, _lanes: Lanes) -> float:
    return 0.0


def _requests(one: LaneTimes, _lanes: Lanes) -> float:
    return one.requests
