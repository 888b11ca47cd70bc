"""Random draws of replays, the same for all policies (common random numbers).

A *repeat* replays the held-out requests, a *replicate* a bootstrap sample of them. With generated
arrivals a replicate is paired with a repeat: it has the same arrivals, and its requests take the
same places in order of demand. So the two differ by the sampled requests and by almost nothing
else.

Recorded arrivals are data like the requests, and depend on one another. A replicate concatenates
blocks of them, each from a random place of the recording (moving blocks: Kuensch, Annals of
Statistics 1989), with the requests that arrived then, if known.
"""

from __future__ import annotations

import enum
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.scenario import Scenario
from tailc.models import streams
from tailc.models.streams import Purpose


class SampleLevel(enum.IntEnum):
    """Requests that a replay draws: the held-out ones themselves, or a bootstrap sample of them."""

    REPEAT = 0
    BOOTSTRAP = 1


@dataclass(frozen=True, eq=False)
class Replication:
    """The random draws of one replay: arrival times, and the trace record of each arrival."""

    arrival_ns: NDArray[np.int64]
    order: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Replications:
    """All random draws of an experiment: arrivals, order of requests, bootstrap samples.

    repeats: draws of the replays of the requests themselves. place: for each repeat and each
    arrival, index of the arriving request in the pool of requests; None if the arrivals are
    recorded with their requests. bootstrap_samples: for each replicate a sample of the pool with
    replacement, sorted as the pool.
    """

    scenario: Scenario
    repeats: tuple[Replication, ...]
    place: tuple[NDArray[np.int32], ...] | None = None
    bootstrap_samples: tuple[NDArray[np.int32], ...] = ()
    replicates: int = 0

    def repeat_of(self, replicate: int) -> int:
        """Number of the repeat whose arrivals a bootstrap replicate uses."""
        return replicate % len(self.repeats)

    def replicate(self, number: int) -> Replication:
        """Draw a bootstrap replicate of the requests and arrivals.

        number: number of the replicate. It is drawn again at each call, to save memory.
        """
        paired = self.repeat_of(number)
        if not self.scenario.arrivals.is_recorded:
            assert self.place is not None
            order = self.bootstrap_samples[number][self.place[paired]]
            return Replication(self.repeats[paired].arrival_ns, order)
        arrival = _blocks(self.scenario, number)
        arrival_ns = _concatenate_ns(self.repeats[0].arrival_ns, arrival)
        if self.place is None:
            return Replication(arrival_ns, self.repeats[0].order[arrival])
        return Replication(
            arrival_ns, self.bootstrap_samples[number][self.place[paired][: len(arrival)]]
        )


def replications_of(
    scenario: Scenario, repeats: int, replicates: int, workers: Executor
) -> Replications:
    """Draw the arrivals and requests of all replications of an experiment.

    Each has a random stream of its own, so its draws do not depend on the number of replications.
    """
    record_of = scenario.arrivals.record_of
    if record_of is not None:
        return Replications(
            scenario, (Replication(_arrival_ns(scenario, 0), record_of),), None, (), replicates
        )
    places = tuple(workers.map(lambda number: _places(scenario, number), range(repeats)))
    return Replications(
        scenario,
        tuple(
            Replication(arrival_ns, _pool(scenario, i)[place])
            for i, (arrival_ns, place) in enumerate(places)
        ),
        tuple(place for _, place in places),
        tuple(workers.map(lambda number: _bootstrap(scenario, number), range(replicates))),
        replicates,
    )


def with_arrivals(one: Replication, scenario: Scenario, number: int) -> Replication:
    """Replace the arrivals of a repeat by those of a scenario, drawn with the same random numbers.

    So another rate only scales the gaps between arrivals.
    """
    state = streams.stream(scenario.seed, SampleLevel.REPEAT, number, Purpose.ARRIVALS)
    return replace(one, arrival_ns=scenario.arrivals.arrival_ns(state, len(one.order)))


def _arrival_ns(scenario: Scenario, number: int) -> NDArray[np.int64]:
    state = _stream(scenario, SampleLevel.REPEAT, number, Purpose.ARRIVALS)
    return scenario.arrivals.arrival_ns(state, scenario.requests + scenario.settling)


def _places(scenario: Scenario, number: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Arrival times, and the place of each arrival: all places equally often, in random order.

    Not in successive passes: then the demands of a short time would add up more evenly than
    independent ones do, and queues would be shorter.
    """
    arrival_ns = _arrival_ns(scenario, number)
    place = np.empty(len(arrival_ns), np.int32)
    places = np.arange(scenario.pool_size, dtype=np.int32)
    state = _stream(scenario, SampleLevel.REPEAT, number, Purpose.ORDER)
    streams.shuffled_passes(state, places, place)
    streams.shuffled_passes(state, place.copy(), place)
    return arrival_ns, place


def _pool(scenario: Scenario, number: int) -> NDArray[np.int32]:
    """Every held-out request once; if too many for a replay, one from each interval of them."""
    held_out, size = scenario.workload.requests, scenario.pool_size
    places = np.arange(size, dtype=np.int64)
    if size < held_out:
        offset = streams.uniform(_stream(scenario, SampleLevel.REPEAT, number, Purpose.RESAMPLE))
        places = ((places + offset) * (held_out / size)).astype(np.int64)
    rank = np.searchsorted(scenario.last_request_of, places, side="right")
    return scenario.by_demand[rank]


def _bootstrap(scenario: Scenario, number: int) -> NDArray[np.int32]:
    state = _stream(scenario, SampleLevel.BOOTSTRAP, number, Purpose.RESAMPLE)
    rank = np.empty(scenario.pool_size, np.int32)
    streams.draw_sorted(state, scenario.last_request_of, np.empty(len(rank) + 1), rank)
    return scenario.by_demand[rank]


def _blocks(scenario: Scenario, number: int) -> NDArray[np.int64]:
    """Arrivals of the recording: blocks of consecutive ones from random places, round its end."""
    state = _stream(scenario, SampleLevel.BOOTSTRAP, number, Purpose.ARRIVALS)
    recorded, length = scenario.recorded, scenario.block_length
    starts = [int(streams.uniform(state) * recorded) for _ in range(scenario.blocks)]
    numbers = np.array(starts)[:, None] + np.arange(length)
    return numbers.ravel()[: scenario.drawn_arrivals] % recorded


def _concatenate_ns(
    recorded_ns: NDArray[np.int64], arrival: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Arrival times with the gap before each arrival as in the recording."""
    mean_ns = int(recorded_ns[-1]) // (len(recorded_ns) - 1)
    gap_ns = np.diff(recorded_ns, prepend=recorded_ns[0] - mean_ns)[arrival]
    return np.cumsum(gap_ns) - gap_ns[0]


def _stream(
    scenario: Scenario, level: SampleLevel, number: int, purpose: Purpose
) -> NDArray[np.uint64]:
    return streams.stream(scenario.seed, scenario.arrivals.rate_mrps, level, number, purpose)
