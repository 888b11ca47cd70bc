"""Place one job on groups whose buses are known, without a solver: network flows, one multiplier.

The flows of the job's servers, and the multiplier on its promised green slots, are in `network`.
Its bound is valid for the whole program. Moves cost their grid energy; they are free while there is
surplus green energy. If moves need more energy than the green bus has, flows near the last
multiplier are computed again with fewer servers in green groups, or without moves there; the bound
is still that of all flows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tailc_solvers.green.sla.check import PlacementFault, figures_of, load_of
from tailc_solvers.green.sla.network import REPAIRED_PPM, BestFlows, JobFlow, Network
from tailc_solvers.green.sla.problem import PPM, Groups, Job, Placement, Whole, check_jobs
from tailc_solvers.green.sla.solution import PlacementSolution, best_of, no_room, solution_of_plan

REPAIRS = 8
"""Times that less is allowed because moves overdraw the green bus."""


def place_job(groups: Groups, job: Job, still: frozenset[int] = frozenset()) -> PlacementSolution:
    """Place a job where its value is highest on free servers, or refuse it if that is better.

    In the epochs `still` it moves only if unavoidable, and the bound is for such plans.

    A running job without room has no plan: INFEASIBLE. The time is proportional to groups times
    epochs, and grows with the fragmentation of free servers, at most with the job's width.
    """
    check_jobs([job], groups.groups, groups.epochs)
    found = [_place(Network(groups, job, int(start), still)) for start in job.starts]
    if not job.must_run:
        found.insert(0, turned_away(groups, [job]))
    return best_of(found)


def turned_away(groups: Groups, jobs: Sequence[Job]) -> PlacementSolution:
    """The solution in which all of the jobs are refused."""
    plan = (None,) * len(jobs)
    return solution_of_plan(groups, jobs, plan, figures_of(groups, jobs, plan).value)


def _place(network: Network) -> PlacementSolution:
    """The best placement, or the best that the green bus can feed."""
    groups, job = network.groups, network.job
    best = network.best(groups.free)
    tried = _try_flows(network, best.flows, best.value)
    found = list(tried) or [no_room(groups)]
    if any(_is_overdrawn(one) for one in tried):
        for avoid in (_leave_out, _keep_still):
            if not _is_enough(found, job):
                found += _repair(network, best, avoid)
    return best_of(found)


Avoid = Callable[[Network, Whole, Placement], tuple[Network, Whole]]
"""Exclude a placement that overdraws the green bus: from a network, and from the free servers."""


def _repair(network: Network, best: BestFlows, avoid: Avoid) -> list[PlacementSolution]:
    """Plans of networks with successively fewer options, until one overdraws nothing."""
    groups, found = network.groups, []
    free, flows, worth = groups.free, best.flows, best.worth
    for _ in range(REPAIRS):
        tried = _try_flows(network, flows, best.value)
        found += tried
        over = [flow for flow, one in zip(flows, tried, strict=True) if _is_overdrawn(one)]
        if not over or _is_enough(found, network.job):
            break
        network, free = avoid(network, free, Placement(network.start, over[0].servers))
        flows, worth = network.near(free, worth)
    return found


def _is_enough(found: list[PlacementSolution], job: Job) -> bool:
    return best_of(found).gap <= job.revenue * REPAIRED_PPM / PPM


def _try_flows(network: Network, flows: list[JobFlow], value: float) -> list[PlacementSolution]:
    plans = [(Placement(network.start, flow.servers),) for flow in flows]
    return [solution_of_plan(network.groups, [network.job], plan, value) for plan in plans]


def _is_overdrawn(solution: PlacementSolution) -> bool:
    return PlacementFault.GREEN_OVERDRAWN in solution.faults


def _leave_out(network: Network, free: Whole, placement: Placement) -> tuple[Network, Whole]:
    """Remove excess servers of the brownest green groups, as long as enough room remains.

    Otherwise forbid moves.
    """
    groups, less = network.groups, free.copy()
    slots, _ = load_of(groups, [network.job], (placement,))
    over, full = _overdraft(network, placement), []
    spare = np.minimum(free, network.job.width).sum(axis=0) - network.job.width
    for t in np.flatnonzero(over > 0).tolist():
        servers = -(-int(over[t]) // groups.energy.server)
        if servers > spare[t]:
            full.append(t)
        servers = min(servers, int(spare[t]))
        for g in np.flatnonzero(groups.is_green[:, t] & (slots[:, t] > 0)).tolist():
            fewer = min(servers, int(slots[g, t]))
            less[g, t] = slots[g, t] - fewer
            servers -= fewer
    return _without_moves(network, full) if full else network, less


def _keep_still(network: Network, free: Whole, placement: Placement) -> tuple[Network, Whole]:
    """Make moves expensive in epochs with too many."""
    over = np.flatnonzero(_overdraft(network, placement) > 0).tolist()
    return _without_moves(network, over), free


def _without_moves(network: Network, epochs: list[int]) -> Network:
    """Make moves expensive in these epochs, each time further around, so that they do not shift."""
    around = range(-network.reach, network.reach + 1)
    still = network.still | {t + by for t in epochs for by in around}
    return replace(network, still=still, reach=network.reach + 1)


def _overdraft(network: Network, placement: Placement) -> Whole:
    """Energy that the green bus lacks for the placement [mJ; epochs]."""
    groups = network.groups
    drawn = groups.green_drawn(*load_of(groups, [network.job], (placement,)))
    return drawn - np.maximum(groups.green_left, 0)
