"""Formulate a problem of racks for solvers: groups of racks, jobs, and costs.

Sleeping servers draw power too. The solvers see servers that draw nothing when idle and `busy_mw -
asleep_mw` with a job, and the green power that is left when all servers sleep. The number of green
racks is the number that this power supplies when fully busy. Brown energy of sleeping servers is a
cost that no plan changes.

Energy is weighted before it is compared: the cost of a server's brown energy in an epoch is in
whole millionths of a dollar (or of the weighted unit), rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from tailc_solvers.green.sla.problem import (
    Charges,
    EnergySupply,
    Groups,
    Job,
    Placement,
    Plan,
    Racks,
    rising_charges,
)
from tailc_solvers.green.sla.robust import groups_of_scenarios

from tailc.forms.plan.ledger import MJ_PER_KWH
from tailc.problems.rigid_jobs import NamedJob, RacksProblem

# Charge for a move that is not billed, so that useless moves are avoided.
MOVE_UDOLLARS = 100
MG_PER_G = 1_000


@dataclass(frozen=True, eq=False)
class RacksFormulation:
    """The problem of placing rigid jobs on racks, in the format of the solvers."""

    problem: RacksProblem

    @property
    def groups(self) -> Groups:
        """Groups of racks without jobs, from the brownest to the greenest, by the forecast.

        The racks of a group are on the same bus (green or brown) in every epoch of every scenario.
        """
        return self._groups[0]

    @property
    def scenarios(self) -> list[Groups]:
        """The groups of racks under each scenario of green power."""
        return self._groups[1:]

    @cached_property
    def _groups(self) -> list[Groups]:
        """The groups by the forecast, then by each scenario."""
        problem = self.problem
        bare = Charges(np.zeros(problem.racks, np.int64), MOVE_UDOLLARS)
        racks = Racks(problem.racks, problem.rack_servers, self.energy, bare)
        slot = rising_charges(racks.green_racks, problem.racks, problem.epsilon_udollars)
        charges = Charges(slot, MOVE_UDOLLARS)
        racks = Racks(problem.racks, problem.rack_servers, self.energy, charges)
        others = [self._left_mj(one) for one in problem.supply.scenarios_mw]
        return groups_of_scenarios(racks, np.array([self.energy.green, *others]))

    @cached_property
    def energy(self) -> EnergySupply:
        """The energy supply in the solvers' format: only energy above that of sleeping servers."""
        problem, supply = self.problem, self.problem.supply
        server_mj = (problem.busy_mw - problem.asleep_mw) * problem.epoch_s
        counts = [self._counts(epoch, server_mj) for epoch in range(supply.epochs)]
        cost = np.array(counts, np.int64)
        return EnergySupply(self._left_mj(supply.green_mw), server_mj, problem.migration_mj, cost)

    def _left_mj(self, green_mw: np.ndarray) -> np.ndarray:
        """Green energy of each epoch that remains when all servers sleep."""
        return np.maximum(green_mw - self.asleep_mw, 0) * self.problem.epoch_s

    @property
    def asleep_mw(self) -> int:
        """Power of all servers when asleep [mW]."""
        return self.problem.racks * self.problem.rack_servers * self.problem.asleep_mw

    @cached_property
    def asleep_cost(self) -> int:
        """Cost of the brown energy of sleeping servers; the mean over scenarios, rounded up."""
        supply = self.problem.supply
        ways = supply.scenarios_mw if len(supply.scenarios_mw) else supply.green_mw[None]
        return -(-sum(self._asleep_cost(green_mw) for green_mw in ways) // len(ways))

    def _asleep_cost(self, green_mw: np.ndarray) -> int:
        short_mw = np.maximum(self.asleep_mw - green_mw, 0).tolist()
        return sum(
            self._counts(epoch, one * self.problem.epoch_s) for epoch, one in enumerate(short_mw)
        )

    def jobs(self, named: tuple[NamedJob, ...]) -> list[Job]:
        """Convert the jobs to the solvers' format."""
        return [self._job(one) for one in named]

    def _job(self, named: NamedJob) -> Job:
        job, terms = named.job, self.problem.terms
        slots, promised = job.width * job.epochs, named.promised_slots
        placed = None if named.racks is None else self.by_group(np.array(named.racks, np.int64))
        return Job(
            width=job.width,
            epochs=job.epochs,
            green_slots=promised,
            revenue=promised * terms.green_udollars + (slots - promised) * terms.brown_udollars,
            penalty=terms.penalty_udollars,
            first_epoch=job.first_epoch,
            latest_start=job.first_epoch + named.may_wait if named.may_wait else None,
            placed=placed,
            must_run=named.must_run,
        )

    def by_group(self, racks: np.ndarray) -> np.ndarray:
        """Sum servers by rack, int64 (racks, ...), to servers by group."""
        first = np.cumsum(self.groups.servers) - self.groups.servers
        return np.add.reduceat(racks, first // self.problem.rack_servers, axis=0)

    def in_force(self) -> Plan | None:
        """The current plan, by the solver's groups of racks; None if it lacks a running job."""
        places = self.problem.in_force
        plan: list[Placement | None] = []
        for named in self.problem.jobs:
            one = places.get(named.name)
            fits = one is not None and one.servers.shape[1] == named.job.epochs
            if not fits and named.must_run:
                return None
            plan.append(
                Placement(one.first_epoch, self.by_group(one.servers)) if one and fits else None
            )
        return tuple(plan) if places else None

    def _counts(self, epoch: int, brown_mj: int) -> int:
        """Weighted cost of brown energy in an epoch, rounded up; see `Weights.of_kwh`."""
        supply, weights = self.problem.supply, self.problem.weights
        if supply.brown_udollars_per_kwh[epoch] < 0:
            return 0
        a_kwh = weights.money * int(supply.brown_udollars_per_kwh[epoch]) + weights.energy
        a_kwh = a_kwh * MG_PER_G + weights.carbon * int(supply.brown_mg_per_kwh[epoch])
        return -(-brown_mj * a_kwh // (MJ_PER_KWH * MG_PER_G))


def places_of(placement: Placement, groups: Groups) -> np.ndarray:
    """Read a job's servers in all epochs from a solver's placement; int64 (groups, epochs)."""
    places = np.zeros(groups.is_green.shape, np.int64)
    places[:, placement.epoch_slice] = placement.servers
    return places
