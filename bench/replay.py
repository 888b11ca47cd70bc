"""Requests replayed a second: the engine beside its C++ twin and general simulation libraries.

    python -m bench.replay

The published table at three rates, with quantum, boosting and all metrics; SEQ, which is processor
sharing; and first come, first served. All ways replay the same requests at the same times. The twin
must write the same to the bit, SimPy and Ciw the same latencies within their rounding, else this
ends with an error. Then requests on whole cores, with a controller in the loop, beside SimPy; and
the engine on one thread and on two, and a whole verdict.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bench import published_server as published
from bench.replay_cores import on_cores
from bench.replay_frequencies import on_clocks
from bench.timing import end, least_seconds, seconds, show, wanted
from bench.twin import Twin, differences
from tailc.experiment.options import VerifyOptions
from tailc.forms.ladder.table import Ladder
from tailc.models import streams
from tailc.models.outcome import Outcome
from tailc.models.shared_cores.arrays import LadderArrays, ladder_arrays
from tailc.models.shared_cores.baselines.sequential import sequential
from tailc.models.shared_cores.model import SharedCoresEngine
from tailc.models.workload import Workload, workload
from tailc.threads import thread_count
from tailc.verify.judge import verify
from tests.reference.replay_ciw import replay_ciw
from tests.reference.replay_simpy import replay_simpy

REQUESTS = 200_000
WARM_UP = REQUESTS // 20
# Libraries that take an object for every event are given the first requests only.
SLOW_REQUESTS = 4_000
MOST_IN_SYSTEM = 4096
TURNS = 9
RATES_RPS = (30, 40, 44)
FIFO_RATE_RPS = 60
REPLICATIONS = 16
SPINS = 5_000_000
LEAST_OF_TWIN, LEAST_OF_SIMPY, LEAST_OF_TWO_THREADS = 0.65, 30, 1.8
# SimPy here ends work up to 10^-6 ms late and waits whole microseconds.
TOLERANCE_MS = 0.05


@dataclass(frozen=True, eq=False)
class Scenario:
    """One ladder under one Poisson stream."""

    name: str
    ladder: Ladder
    rate_rps: int
    demand: Workload
    arrival_ns: NDArray[np.int64]

    @classmethod
    def for_rate(cls, name: str, ladder: Ladder, rate_rps: int) -> Scenario:
        arrival_ns = np.empty(REQUESTS, np.int64)
        streams.poisson_arrivals(streams.stream(1, rate_rps), rate_rps * 1000, arrival_ns)
        demand = workload(published.profile(REQUESTS), ladder)
        return cls(name, ladder, rate_rps, demand, arrival_ns)

    @property
    def table(self) -> LadderArrays:
        return ladder_arrays((self.ladder,), self.rate_rps * 1000, MOST_IN_SYSTEM)

    def run_engine(self, way: Callable[..., object]) -> object:
        """What a way of the engine's own signature makes of it."""
        order = np.arange(REQUESTS)
        return way(self.demand, order, self.arrival_ns, self.table, MOST_IN_SYSTEM, WARM_UP)

    def first_requests_ms(self) -> tuple[list[float], list[float]]:
        """Arrivals and work of as many as the slow ways are given."""
        arrival_ms = self.arrival_ns[:SLOW_REQUESTS] / 1e6
        return arrival_ms.tolist(), (self.demand.work_ns[:SLOW_REQUESTS] / 1e6).tolist()


def replay(
    load: Workload,
    order: NDArray[np.integer],
    arrival_ns: NDArray[np.int64],
    table: LadderArrays,
    most_in_system: int,
    measured_from: int = 0,
) -> Outcome:
    """The engine, with the signature of its twin."""
    engine = SharedCoresEngine(table, None, most_in_system)
    return engine.replay(load, order, arrival_ns, measured_from)


def main() -> None:
    twin = Twin.build()
    if twin is None:
        print("no g++ here: the C++ twin is left out\n")
    header = ["server", "rate", "p99", "engine", "C++", "SimPy", "Ciw"]
    header += ["engine / C++", "engine / SimPy", "engine / Ciw"]
    show(header, [row(scenario, twin) for scenario in scenarios()])
    on_cores()
    on_clocks()
    on_more_threads()
    end()


def scenarios() -> list[Scenario]:
    ladder = published.policy().forms[0]
    queue = published.first_come_first_served(ladder)
    return [
        *(Scenario.for_rate("table", ladder, rate) for rate in RATES_RPS),
        Scenario.for_rate("SEQ", sequential(ladder), 40),
        Scenario.for_rate("FIFO", queue, FIFO_RATE_RPS),
    ]


def row(scenario: Scenario, twin: Twin | None) -> list[str]:
    ours = scenario.run_engine(replay)
    assert isinstance(ours, Outcome)
    ways = {"engine": lambda: scenario.run_engine(replay)}
    if twin is not None:
        theirs = scenario.run_engine(twin.replay)
        assert not differences(ours, theirs), "the twin differs"  # type: ignore[arg-type]
        ways["C++"] = lambda: scenario.run_engine(twin.replay)
    speed = {way: REQUESTS / taken for way, taken in least_seconds(ways, TURNS).items()}
    speed |= slow_ways(scenario, ours)
    p99_ms = np.sort(ours.latency_ns[ours.measured])[-(REQUESTS - WARM_UP) // 100] / 1e6
    per_s = [f"{speed[way]:,.0f}" if way in speed else "" for way in ("engine", "C++", "SimPy")]
    per_s.append(f"{speed['Ciw']:,.0f}" if "Ciw" in speed else "")
    ratios = [
        wanted(speed["engine"] / speed[way], least, digits) if way in speed else ""
        for way, least, digits in (("C++", LEAST_OF_TWIN, 2), ("SimPy", LEAST_OF_SIMPY, 0))
    ]
    ratios.append(f"{speed['engine'] / speed['Ciw']:.0f}" if "Ciw" in speed else "")
    return [scenario.name, f"{scenario.rate_rps}/s", f"{p99_ms:.0f} ms", *per_s, *ratios]


def slow_ways(scenario: Scenario, ours: Outcome) -> dict[str, float]:
    """Requests a second of the libraries, after a look at what they say."""
    arrival_ms, work_ms = scenario.first_requests_ms()
    ours_ms = ours.latency_ns[:SLOW_REQUESTS] / 1e6
    speed = list(published.SPEEDS)
    ways = {"SimPy": lambda: replay_simpy(scenario.ladder, arrival_ms, work_ms, speed)}
    if scenario.name in ("SEQ", "FIFO"):
        shares = scenario.name == "SEQ"
        ways["Ciw"] = lambda: replay_ciw(arrival_ms, work_ms, published.CORES, shares=shares)
    found = {}
    for name, way in ways.items():
        said_ms: list[float] = []
        taken = seconds(lambda way=way, said=said_ms: said.extend(way()))
        # Later arrivals, which only the engine knows, change the last requests.
        apart_ms = np.abs(ours_ms - said_ms)[: SLOW_REQUESTS // 2].max()
        assert apart_ms < TOLERANCE_MS, f"{name} differs by {apart_ms} ms"
        found[name] = SLOW_REQUESTS / taken
    return found


@njit(nogil=True)
def _spin(count):
    total = 0.0
    for i in range(count):
        total += (total + i) % 3.0
    return total


def on_more_threads() -> None:
    """Replications, and a whole verdict, on one thread and on all."""
    cores = min(thread_count(None), 2)
    scenario = Scenario.for_rate("table", published.policy().forms[0], 40)
    policy = dataclasses.replace(
        published.policy(), rates_mrps=tuple(rate * 1000 for rate in RATES_RPS)
    )
    held_out = published.profile(2_000)

    def replications(threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda _: scenario.run_engine(replay), range(REPLICATIONS)))

    def verdict(threads: int) -> None:
        verify(policy, held_out, VerifyOptions(threads=threads, baselines=("seq",)))

    def arithmetic(threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(_spin, [SPINS] * REPLICATIONS))

    rows = []
    _spin(1)
    for name, work, turns in (
        ("arithmetic, the limit of two cores", arithmetic, 5),
        (f"{REPLICATIONS} replays of {REQUESTS:,} requests", replications, 5),
        ("verify with SEQ, 3 rates, 2,000 requests", verdict, 3),
    ):
        taken = least_seconds({str(n): lambda n=n, w=work: w(n) for n in (1, cores)}, turns)
        gain = taken["1"] / taken[str(cores)]
        said = wanted(gain, LEAST_OF_TWO_THREADS) if cores == 2 else "one core here"
        rows.append([name, f"{taken['1']:.2f} s", f"{taken[str(cores)]:.2f} s", said])
    show(["work", "one thread", f"{cores} threads", "speed-up"], rows)


if __name__ == "__main__":
    main()
