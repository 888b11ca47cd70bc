"""Tuning problems of ladders: search space, server and requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.replications import Replications
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.forms.controller import scaled_ladder
from tailc.forms.ladder.lanes import cores_of, is_on_lanes, lanes_of
from tailc.forms.ladder.table import Ladder, Rule
from tailc.forms.ladder.units import shared_power
from tailc.models.execution_model import Subject
from tailc.models.pools import Pools, least_of, pools
from tailc.models.shared_cores.clairvoyant.server import SharedServer, shared_server
from tailc.models.shared_cores.shared_power import power_unit
from tailc.models.smt.model import Smt
from tailc.models.subjects import on_ladders
from tailc.models.workload import Workload, workload
from tailc.percentiles import PPM
from tailc.traces.profile import DemandProfile
from tailc.tuning import core_types_space as core_types
from tailc.tuning import shared_cores_space as shared_cores
from tailc.tuning import smt_space as smt
from tailc.tuning.batch_bounds import least_given_up_us, least_of_work
from tailc.tuning.core_types_space import CoreTypesSpace, core_types_space
from tailc.tuning.criteria import best_by_point
from tailc.tuning.search_space import SearchSpace
from tailc.tuning.shared_cores_space import SharedCoresSpace, shared_cores_space
from tailc.tuning.smt_space import smt_space, sooner_alone
from tailc.tuning.tuning_sample import Form, Measurements, TuningSample

# Ages are made earlier in such parts of what they were.
_PARTS = 64


@dataclass(frozen=True, eq=False)
class BatchBound:
    """Upper bound on the batch work that any table leaves on cores with requests.

    least: smallest amount that a request gives up, in millionths of the batch work of a core
    without requests times us, if the limit is met in all replays together.
    """

    cores: int
    least: Callable[[Replications, Executor], int]


@dataclass(frozen=True, eq=False)
class TuningProblem(Generic[Form]):
    """A table to tune, the server that it runs on, and where a search begins.

    Which of the optional fields a formula has depends on its rules, its criterion and its server,
    in almost any combination.

    Attributes:
        base: the formula's table, which was computed without simulation.
        load: the requests that it was computed from.
        cores: number of cores of the server.
        capacity_of: work of such requests that the server does per unit of time at speed 1, if they
            run as `capacity_condition` says.
        subject_of: makes the policy that a replay of a table runs.
        search_space: by the tail of the formula's table [us].
        starts: the largest number of points that a search begins from.
        near: the space of a search that continues from a table, and the point next to that table;
            None if no search does.
        earlier: the table with its ages scaled by a factor [1e-6]; None if that shortens no tail.
        parts, most_parts: number of steps of that factor from 0 to 1, and largest number of steps.
        relaxed: the problem of a table with ages that are scaled up, if its tail is below the
            limit; None if the ages of the formula cannot grow.
        server: the server of a clairvoyant schedule; None if none is known.
        batch: an upper bound of batch work; None if there is none.
        foreseen: a schedule that knows all requests in advance, compared by its cost; None if there
            is none.
        rivals: settings by hand; at no rate may they or `base` be better than a tuned table.
    """

    base: Form
    load: Workload
    cores: int
    capacity_of: Callable[[Workload], float]
    capacity_condition: str
    subject_of: Callable[[Form], Subject]
    search_space: Callable[[int], SearchSpace[Form]]
    starts: int
    near: Callable[[Form, int], tuple[SearchSpace[Form], NDArray[np.float64]]] | None = None
    earlier: Callable[[Form, int], Form] | None = None
    parts: int = _PARTS
    most_parts: int = _PARTS
    relaxed: Callable[[Form], TuningProblem[Form]] | None = None
    server: SharedServer | None = None
    batch: BatchBound | None = None
    foreseen: Subject | None = None
    rivals: tuple[Form, ...] = ()

    @property
    def settling(self) -> int:
        """Number of requests until a controller has settled: 0, as tuned tables have none."""
        return 0

    def reference(self, trials: TuningSample[Form], aim: TuningObjective) -> Measurements:
        """Replay the formula's table and the settings by hand.

        Return the best result at each point. A point is an operating point: an arrival rate.
        """
        return best_by_point(trials.measure([self.base, *self.rivals]), aim)


def ladder_problem(
    formula: Ladder, design: DemandProfile, aim: TuningObjective
) -> TuningProblem[Ladder]:
    """Make the tuning problem of a ladder; TailcError if it has nothing to tune."""
    load = workload(design, formula)
    if is_on_lanes(formula):
        return _on_lanes(formula, load, aim)
    if Rule.CORE_PER_REQUEST in formula.rules:
        return _on_own_cores(formula, load, aim)
    problem = _on_shared_cores(formula, load, aim)
    return _with_batch(problem) if aim.criterion is Criterion.BATCH else problem


def _on_shared_cores(
    formula: Ladder, load: Workload, aim: TuningObjective
) -> TuningProblem[Ladder]:
    power, shared = shared_power(formula), pools(formula)
    if not gains_by_climbing(formula, load):
        message = "the search tunes degrees, but no degree makes requests faster"
        hint = "set `max_degree` above 1, give speed-ups above 1, or choose another objective"
        if power is not None:
            message = "the search tunes climbs, but there is only one rung"
            hint = "give several degrees or frequencies, or choose another objective"
        raise tuning_error(message, hint, "speedup")
    each = range(len(shared.cost_unit))
    cores = sum(least_of(shared, pool)[1] for pool in each)

    def search_space(tail_us: int) -> SharedCoresSpace:
        return shared_cores_space(
            formula, tail_us, cores, may_wait=aim.may_wait, optional_rules=aim.optional_rules
        )

    return TuningProblem(
        base=formula,
        load=load,
        cores=cores,
        capacity_of=lambda load: sum(_capacity_of(shared, pool, load) for pool in each),
        capacity_condition="each on one thread"
        if power is None
        else f"each with {formula.rungs[0].name}",
        subject_of=ladder_subject,
        search_space=search_space,
        starts=shared_cores.MOST_STARTS,
        near=lambda table, tail_us: _boosted_space(search_space(tail_us).finer(), table),
        earlier=None if power_unit(formula) is None else scaled_ladder,
        server=_clairvoyant_server(formula, load),
    )


def _clairvoyant_server(formula: Ladder, load: Workload) -> SharedServer | None:
    """What a clairvoyant schedule runs on; None where there are several pools or serial parts."""
    is_one = len(pools(formula).cost_unit) == 1
    return shared_server(formula) if is_one and load.serial is None else None


def gains_by_climbing(ladder: Ladder, load: Workload) -> bool:
    """Whether a climb can help: some request is faster on another rung than on the first.

    False if a rung uses no limited resource.
    """
    return None not in pools(ladder).cost_unit and bool((load.speed > load.speed[:, :1]).any())


def _capacity_of(shared: Pools, pool: int, load: Workload) -> float:
    """Of a pool where each request takes least of it, on the fastest such rung."""
    least_ppm, _ = least_of(shared, pool)
    takes = (shared.pool_of == pool) & (shared.cost_ppm == least_ppm)
    fastest = float(_mean_speeds(load)[takes].max())
    return fastest * float(shared.capacity_ppm[pool]) / least_ppm


def _with_batch(problem: TuningProblem[Ladder]) -> TuningProblem[Ladder]:
    """The problem for shared cores with batch work: its bound is on batch work, not on the tail."""
    base = problem.base
    bound = BatchBound(cores_of(base), lambda draws, _: least_of_work(base, draws))
    return replace(problem, server=None, batch=bound)


def _on_own_cores(formula: Ladder, load: Workload, aim: TuningObjective) -> TuningProblem[Ladder]:
    if len(formula.rungs) == 1:
        message = "the search tunes climbs, but all cores have one type"
        raise tuning_error(
            message, "give cores of several types, or choose another objective", "cores"
        )
    counts = [unit.capacity_ppm // PPM for unit in formula.cost_units if unit.capacity_ppm]
    cores = sum(counts)

    def search_space(tail_us: int) -> CoreTypesSpace:
        return core_types_space(formula, aim.target_us or tail_us, cores)

    return TuningProblem(
        base=formula,
        load=load,
        cores=cores,
        capacity_of=lambda load: _capacity(formula, load, counts),
        capacity_condition="each at its fastest",
        subject_of=ladder_subject,
        search_space=search_space,
        starts=core_types.STARTS,
        near=lambda table, tail_us: _boosted_space(search_space(tail_us).finer(), table),
        earlier=scaled_ladder,
    )


def _on_lanes(formula: Ladder, load: Workload, aim: TuningObjective) -> TuningProblem[Ladder]:
    lanes, timing = lanes_of(formula), aim.batch_timing
    target_us, limit_us = aim.target_us, aim.limit_us
    assert timing is not None
    assert target_us is not None
    assert limit_us is not None
    if lanes.interference_ppm + lanes.batch_slowdown_ppm >= PPM:
        message = "both lanes of a core together are not faster than one alone, so batch work "
        message += "should use only idle cores, and there is no age to tune"
        raise tuning_error(message, "set `policy: borrow-idle`, without a search", "lanes")
    release_us = timing.release_us

    def least(draws: Replications, workers: Executor) -> int:
        return PPM * least_given_up_us(aim.percentile_ppm, limit_us, lanes, draws, workers)

    return TuningProblem(
        base=formula,
        load=load,
        cores=lanes.cores,
        capacity_of=lambda _load: float(lanes.cores),
        capacity_condition="each alone on its core",
        subject_of=lambda table: Smt("table", (table,), waking=timing.waking),
        search_space=lambda _: smt_space(formula, target_us, lanes.cores, release_us),
        starts=smt.STARTS,
        earlier=lambda table, part_ppm: sooner_alone(table, part_ppm, release_us),
        batch=BatchBound(lanes.cores, least),
    )


def ladder_subject(table: Ladder) -> Subject:
    """Make the simulated server that a ladder's rules and cost units describe, with this ladder."""
    return on_ladders("table", (table,))


def _boosted_space(
    space: SharedCoresSpace | CoreTypesSpace, table: Ladder
) -> tuple[SearchSpace[Ladder], NDArray[np.float64]]:
    return space, space.next_to(table)


def _capacity(formula: Ladder, load: Workload, counts: Sequence[int]) -> float:
    """Of all cores, each on its last rung."""
    speed = _mean_speeds(load)
    last = {unit: rung for rung, unit in enumerate(pools(formula).pool_of.tolist())}
    return float(sum(count * speed[last[unit]] for unit, count in enumerate(counts)))


def _mean_speeds(load: Workload) -> NDArray[np.float64]:
    """Of a request, by rung."""
    share = load.weight / load.requests
    return (share[:, None] * load.speed[load.curve_of]).sum(axis=0)


def tuning_error(message: str, hint: str, *about: str) -> TailcError:
    """Make the TailcError that says why a table cannot be tuned."""
    return TailcError(Finding(Code.METHOD_UNFIT, message, help=hint, about=about))
