"""Convert the state of a replay at an epoch to a solver's groups of racks.

Racks that are expected on the same bus (green or brown) in every epoch, and whose free servers do
not change, form a group; every other rack is a group of its own. A job's server that stays in a
group can therefore stay in its rack, so only moves between groups are moves between racks.

The number of green racks is the number that the forecast supplies if fully busy, reduced if moves
under the plan in force use the energy of a rack. A busy server counts with its whole energy, and a
sleeping server counts as 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.green.sla.problem import Charges, EnergySupply, Groups

from tailc.forms.plan.ledger import MJ_PER_KWH
from tailc.models.datacentre.supply import Supply, Whole
from tailc.models.rigid_jobs.jobs import RunningJob
from tailc.models.rigid_jobs.planner import View
from tailc.models.rigid_jobs.site import Site
from tailc.pipeline.planners.current_schedule import previous_places

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Epsilons:
    """Small charges that influence placement but are not billed, in millionths of a dollar.

    slot_udollars: for a server-epoch, times the rank of its racks from brown to green, so that
    green racks stay free for jobs that need them. move_udollars: for a move, against useless moves.
    """

    slot_udollars: int = 10
    move_udollars: int = 100


@dataclass(frozen=True, eq=False)
class PlannerState:
    """The racks in the next epochs, as the solver of a planner needs them.

    groups: racks, with the load of other jobs. rack_group: the group of each rack; int64 (racks,).
    free: free servers; int64 (racks, epochs).
    """

    groups: Groups
    rack_group: Whole
    free: Whole

    def by_group(self, servers: Whole) -> Whole:
        """Sum servers by rack, int64 (racks, ...), to servers by group."""
        return sum_by_group(self.rack_group, servers)


def planner_state(
    view: View,
    epochs: int,
    epsilons: Epsilons | None = None,
    open_jobs: Sequence[RunningJob] = (),
) -> PlannerState:
    """Make a solver's input for the next epochs.

    open_jobs: jobs to be placed again, so their servers count as free.
    """
    epsilons = epsilons or Epsilons()
    site = view.site
    is_green = expected_green(view, epochs)
    shape = is_green.shape
    busy = view.busy[:, view.epoch : view.epoch + epochs] - _servers(open_jobs, view.epoch, shape)
    open_numbers = {one.job.number for one in open_jobs}
    closed = [one for one in view.running if one.job.number not in open_numbers]
    free = site.rack_servers - busy
    rack_group = _groups(is_green, _is_steady(free, open_jobs, view.epoch))
    first = np.unique(rack_group, return_index=True)[1]
    run = np.append(0, np.cumsum((is_green[1:] != is_green[:-1]).any(axis=1)))
    groups = Groups(
        site.rack_servers * np.bincount(rack_group),
        is_green[first],
        energy_of(site, view.ahead, epochs),
        Charges(epsilons.slot_udollars * run[first], epsilons.move_udollars),
        sum_by_group(rack_group, busy),
        sum_by_group(rack_group, _moves(closed, view.epoch, shape)),
    )
    return PlannerState(groups, rack_group, free)


def expected_green(view: View, epochs: int) -> Flags:
    """Whether each rack is expected to be on the green bus; bool (racks, epochs)."""
    site = view.site
    energy = energy_of(site, view.ahead, epochs)
    busy = view.busy[:, view.epoch : view.epoch + epochs]
    drawn = energy.server * busy + energy.move * _moves(view.running, view.epoch, busy.shape)
    carried = np.count_nonzero(np.cumsum(drawn[::-1], axis=0) <= energy.green, axis=0)
    green = np.minimum(site.green_racks(view.ahead.green_mw[:epochs]), carried)
    return np.arange(site.racks)[:, None] >= site.racks - green


def energy_of(site: Site, ahead: Supply, epochs: int) -> EnergySupply:
    """Make the solver's energy supply of the next epochs; costs are rounded up, and at least 0."""
    server_mj = site.busy_mw * site.epoch_s
    price = np.maximum(ahead.brown_udollars_per_kwh[:epochs], 0)
    brown = -(-price * server_mj // MJ_PER_KWH)
    return EnergySupply(ahead.green_mw[:epochs] * site.epoch_s, server_mj, site.migration_mj, brown)


def sum_by_group(rack_group: Whole, servers: Whole) -> Whole:
    """Sum servers by rack, int64 (racks, ...), to servers by group."""
    result = np.zeros((int(rack_group.max()) + 1, *servers.shape[1:]), np.int64)
    np.add.at(result, rack_group, servers)
    return result


def _is_steady(free: Whole, open_jobs: Sequence[RunningJob], epoch: int) -> Flags:
    """Racks whose free servers do not change and hold their open jobs; bool (racks,)."""
    here = [before for one in open_jobs if (before := previous_places(one, epoch)) is not None]
    held = np.sum(here, axis=0) if here else 0
    return (free == free[:, :1]).all(axis=1) & (held <= free[:, 0])


def _groups(is_green: Flags, is_steady: Flags) -> Whole:
    """The group of each rack, in order of their first racks; int64 (racks,)."""
    result: dict[tuple[bytes, int], int] = {}
    keys = ((row.tobytes(), -1 if is_steady[rack] else rack) for rack, row in enumerate(is_green))
    return np.array([result.setdefault(key, len(result)) for key in keys])


def _servers(jobs: Sequence[RunningJob], epoch: int, shape: tuple[int, int]) -> Whole:
    """Servers of the jobs from this epoch on; int64 (racks, epochs)."""
    result = np.zeros(shape, np.int64)
    for one in jobs:
        left = one.places[:, epoch - one.first_epoch :][:, : shape[1]]
        result[:, : left.shape[1]] += left
    return result


def _moves(jobs: Sequence[RunningJob], epoch: int, shape: tuple[int, int]) -> Whole:
    """Servers that jobs move to each rack from this epoch on; int64 (racks, epochs)."""
    result = np.zeros(shape, np.int64)
    for one in jobs:
        begun = epoch - one.first_epoch
        reach = one.places[:, max(begun - 1, 0) : begun + shape[1]]
        arrived = np.maximum(np.diff(reach, axis=1), 0)
        since = 0 if begun else 1
        result[:, since : since + arrived.shape[1]] += arrived
    return result
