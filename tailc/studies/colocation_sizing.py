"""Size a fleet that runs requests and batch work on shared servers.

After Bartolini, 2015, section 3.6, which gives no equation. Up to a point (the knee), batch work
costs the least power on servers that also have requests; beyond it, dedicated servers need less.
Requests run at a fixed frequency that meets their latency bound in replays; a policy that raises
the frequency only when needed draws less power. The unit of batch work is what a dedicated server
does at its most efficient frequency.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from tailc_solvers.colocation import fleet
from tailc_solvers.colocation.core import SharedCore
from tailc_solvers.colocation.fleet import NO_BATCH, WHOLE, SupplyCurve

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.experiment import Experiment
from tailc.experiment.options import VerifyOptions
from tailc.experiment.scenario import scenario_for
from tailc.experiment.sizes import SERVER, Seed
from tailc.forms.tail_table import TailTable
from tailc.models.arrivals import Poisson
from tailc.models.core_queues.baselines.fixed_frequency import at_level
from tailc.models.core_queues.clocks import Clocks
from tailc.models.outcome import nearest_us
from tailc.pipeline.colocation import MW_PER_W, efficient_pair, shared_core
from tailc.pipeline.refusals import complete_errors
from tailc.pipeline.solve import solve
from tailc.pipeline.spec import OpenedSpec
from tailc.problems.colocation import BatchWork, Host, PairSearch
from tailc.problems.tail_table import TailProblem
from tailc.progress import Progress, silent
from tailc.specs.slo import promise
from tailc.studies.clocked_spec import open_clocked
from tailc.studies.core_configuration import design_of
from tailc.units import format_khz, format_mrps, format_us


@dataclass(frozen=True)
class FleetDemand:
    """A demand to size a fleet for: a number of servers with requests, and an amount of batch work.

    batch: in units of what one dedicated server does at its most efficient frequency.
    """

    servers: int
    batch: float

    def __post_init__(self) -> None:
        assert self.servers >= 0
        assert self.batch >= 0
        assert self.servers or self.batch


@dataclass(frozen=True)
class SupplyPoint:
    """A point of a server's supply curve: how much batch work the server does next to requests.

    work: batch work in units of a dedicated server's. power_w: of the whole server. batch_khz: None
    if cores sleep when they have no requests.
    """

    work: float
    power_w: float
    requests_khz: int
    batch_khz: int | None


@dataclass(frozen=True)
class DedicatedServer:
    """A server that does only batch work: its frequency, its power, and its work per second.

    That work is the unit in which batch work is counted.
    """

    frequency_khz: int
    power_w: float
    work_per_s: float


@dataclass(frozen=True)
class Fleet:
    """The servers and the power that a demand of requests and batch work needs.

    work: batch work of each server with requests. low, high: numbers of the two points of the
    supply curve between which such a server alternates, with `high_share` of the time at `high`.
    dedicated: servers with batch work alone, as a fraction. servers: all servers, rounded up.
    apart_servers, apart_w: servers and power if all batch work is on dedicated servers.
    """

    demand: FleetDemand
    work: float
    low: int
    high: int
    high_share: float
    dedicated: float
    servers: int
    power_w: float
    apart_servers: int
    apart_w: float


@dataclass(frozen=True)
class Colocation:
    """The supply curve of a server, its knee, and the fleets for the demands.

    tail_khz: lowest frequency of requests that meets the latency bound. corners: points of the
    curve. knee: number of the point beyond which dedicated servers need less power. efficient: the
    pair of frequencies with the most batch work per joule, found by `search`.
    """

    name: str
    rate_mrps: int
    tail_khz: int
    corners: tuple[SupplyPoint, ...]
    knee: int
    efficient: SupplyPoint
    dedicated: DedicatedServer
    fleets: tuple[Fleet, ...]
    requests: int
    seed: int
    search: PairSearch


def size_colocation(
    path: str,
    demands: Sequence[FleetDemand],
    *,
    requests: int = SERVER.requests,
    seed: int = Seed.DESIGN,
    progress: Progress = silent,
) -> Colocation:
    """Size a fleet for each demand, with the server of the spec at `path`.

    Raises TailcError for an invalid spec, for one without batch work, and if no frequency meets the
    bound next to batch work.
    """
    opened = open_clocked(path)
    problem, host, batch = _problem(opened)
    with complete_errors(opened.loaded, {}, opened.warnings):
        table = opened.kind.emit(opened.spec, problem, solve(problem))
    options = VerifyOptions(seed=seed, requests_per_replay=requests)
    shared = shared_core(problem, host, batch)
    with complete_errors(opened.loaded, {}, opened.warnings):
        least = _least_level(problem, batch, shared, table, options, progress)
    return _size(opened.spec.name, _Server(problem, host, batch, shared, least), demands, options)


def _problem(opened: OpenedSpec) -> tuple[TailProblem, Host, BatchWork]:
    # INVARIANT: what is compiled from cycles and memory time is a tail table.
    problem: TailProblem = opened.kind.reduce(opened.spec, design_of(opened))
    if problem.host is None or problem.batch is None:
        message = "has no `batch`, so there is no batch work to place"
        hint = "add batch work, for example `batch: {memory: 30%}`"
        place = opened.loaded.place("name")
        raise TailcError(Finding(Code.MISSING_KEY, f"the spec {message}", place, hint))
    return problem, problem.host, problem.batch


def _least_level(
    problem: TailProblem,
    batch: BatchWork,
    shared: SharedCore,
    table: TailTable,
    options: VerifyOptions,
    progress: Progress,
) -> int:
    """The lowest level at which requests meet the bound and leave time, found by bisection.

    A higher frequency delays no request. Raises TailcError (INFEASIBLE) if no level does.
    """
    clocks = Clocks(table, problem.clock_khz)
    first, last = int(np.argmax(shared.busy() < 1)), len(problem.levels) - 1
    lowest, highest = first, last
    tail_us = _tail_us(problem, batch, clocks, last, options)
    if tail_us > problem.bound_us:
        raise _out_of_reach(problem, batch, tail_us)
    while lowest < highest:
        progress("replaying frequencies", 1 - (highest - lowest) / (last - first))
        level = (lowest + highest) // 2
        if _tail_us(problem, batch, clocks, level, options) <= problem.bound_us:
            highest = level
        else:
            lowest = level + 1
    return highest


def _tail_us(
    problem: TailProblem, batch: BatchWork, clocks: Clocks, level: int, options: VerifyOptions
) -> int:
    subject = at_level("one frequency", clocks, level)
    with ThreadPoolExecutor(1) as worker:
        workload, arrivals = subject.workload(problem.profile), Poisson(batch.rate_mrps)
        scenario = scenario_for(workload, arrivals, options, subject)
        ((_, outcome),) = Experiment(scenario, SERVER.repeats, 0, worker).outcomes(subject)
    return nearest_us(outcome.tail_ns(problem.percentile_ppm))


def _out_of_reach(problem: TailProblem, batch: BatchWork, tail_us: int) -> TailcError:
    highest = format_khz(problem.levels[-1].frequency_khz)
    message = (
        f"`{promise(problem.percentile_ppm, problem.bound_us)}` is missed at "
        f"{format_mrps(batch.rate_mrps)} even at {highest}: the percentile is "
        f"{format_us(tail_us)} there"
    )
    hint = f"relax the latency to {format_us(tail_us)}, lower `batch.rate`, or add cores"
    return TailcError(Finding(Code.INFEASIBLE, message, help=hint))


@dataclass(frozen=True, eq=False)
class _Server:
    """A server of the spec, and the least level of requests that meets the bound."""

    problem: TailProblem
    host: Host
    batch: BatchWork
    core: SharedCore
    least: int

    @property
    def beside_w(self) -> float:
        """Power of the server outside its cores."""
        return (self.host.uncore_mw + self.host.rest_mw) / MW_PER_W

    def khz(self, level: int) -> int:
        """Frequency of a level."""
        return self.problem.levels[level].frequency_khz

    def dedicated_server(self) -> DedicatedServer:
        """The server with batch work alone, at the lowest of the most efficient frequencies."""
        work = self.host.cores * self.core.throughput / self.core.stretch(self.core.batch_memory)
        power_w = self.beside_w + self.host.cores * self.core.batch_power_w
        best = int(np.argmax(work / power_w))
        return DedicatedServer(self.khz(best), float(power_w[best]), float(work[best]))

    def curve(self, unit: float) -> SupplyCurve:
        """Least power by batch work in units."""
        result = fleet.supply_curve(
            self.core,
            self.host.cores,
            idle_core_w=self.host.idle_core_mw / MW_PER_W,
            server_w=self.beside_w,
            unit=unit,
            least_critical=self.least,
        )
        # A level that meets the bound leaves time for batch work.
        assert result is not None
        return result

    def efficient(self, unit: float) -> SupplyPoint:
        """The server at its own most efficient pair of frequencies."""
        pair = efficient_pair(self.core, self.batch, self.least)
        assert pair.critical is not None
        assert pair.batch is not None
        at = pair.critical, pair.batch
        cores = self.host.cores
        work = float(self.core.batch_work()[at]) * cores / unit
        # Each core includes its part of the power outside the cores.
        return SupplyPoint(
            work, float(self.core.power_w()[at]) * cores, *(self.khz(level) for level in at)
        )


def _size(
    name: str, server: _Server, demands: Sequence[FleetDemand], options: VerifyOptions
) -> Colocation:
    dedicated = server.dedicated_server()
    curve = server.curve(dedicated.work_per_s)
    return Colocation(
        name=name,
        rate_mrps=server.batch.rate_mrps,
        tail_khz=server.khz(server.least),
        corners=tuple(_supply_point(server, curve, at) for at in range(curve.work.size)),
        knee=curve.knee(dedicated.power_w),
        efficient=server.efficient(dedicated.work_per_s),
        dedicated=dedicated,
        fleets=tuple(_fleet(curve, dedicated.power_w, demand) for demand in demands),
        requests=options.requests_for(0),
        seed=options.seed,
        search=server.batch.search,
    )


def _supply_point(server: _Server, curve: SupplyCurve, at: int) -> SupplyPoint:
    batch = int(curve.batch[at])
    return SupplyPoint(
        float(curve.work[at]),
        float(curve.power_w[at]),
        server.khz(int(curve.critical[at])),
        None if batch == NO_BATCH else server.khz(batch),
    )


def _fleet(curve: SupplyCurve, dedicated_w: float, demand: FleetDemand) -> Fleet:
    alone = int(np.ceil(demand.batch - WHOLE))
    apart_w = demand.servers * float(curve.power_w[0]) + demand.batch * dedicated_w
    apart = demand.servers + alone, apart_w
    if demand.servers == 0:
        return Fleet(demand, 0.0, 0, 0, 0.0, demand.batch, alone, apart_w, *apart)
    result = fleet.provision(curve, demand.servers, demand.batch, dedicated_w)
    return Fleet(
        demand,
        result.work,
        result.low,
        result.high,
        result.high_share,
        result.dedicated,
        result.servers,
        result.power_w,
        *apart,
    )
