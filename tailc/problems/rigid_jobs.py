"""The problem of rigid jobs: places on racks by epoch, and prices for other jobs.

Source: Haque, Rutgers 2016, appendix A.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from tailc.forms.plan.battery import Battery
from tailc.forms.plan.plan import Plan, Terms
from tailc.forms.plan.quote import RigidJob
from tailc.problems.convergence import ConvergencePoint
from tailc.problems.plan import (
    ExpectedSupply,
    PlanMethod,
    PlanObjective,
    PlanSearch,
    Weights,
    Whole,
    cost_of_grid,
)


@dataclass(frozen=True)
class NamedJob:
    """A rigid job to be placed, with its limits: start, refusal, and promised green energy.

    name: unique name. job: its servers, epochs and share of green energy. may_wait: number of
    epochs by which its start may be delayed. must_run: whether it has begun already and cannot be
    refused. owed: number of promised server-epochs on green energy that it is still to receive;
    None: as many as `job` states. racks: its current servers by rack; None: unknown, or it has not
    begun.
    """

    name: str
    job: RigidJob
    may_wait: int = 0
    must_run: bool = False
    owed: int | None = None
    racks: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.may_wait < 0 or (self.may_wait and self.must_run):
            raise ValueError("a waiting job must not have begun, and its wait must not be negative")
        if self.owed is not None and not 0 <= self.owed <= self.job.epochs * self.job.width:
            raise ValueError("`owed` must be 0 to the number of server-epochs of the job")
        if self.racks is not None and (sum(self.racks) != self.job.width or not self.must_run):
            raise ValueError("`racks` must have all servers of a job that has begun")

    @property
    def promised_slots(self) -> int:
        """Number of the job's server-epochs in the plan that are promised to be green."""
        return self.job.green_slots if self.owed is None else self.owed


@dataclass(frozen=True, eq=False)
class RackPlaces:
    """Servers of a job by rack from its first epoch on; int64 (racks, epochs of the job)."""

    first_epoch: int
    servers: Whole


@dataclass(frozen=True, eq=False)
class RacksProblem:
    """The problem: place known jobs on racks by epoch, and price servers for expected jobs.

    Attributes:
        start_unix_s, epoch_s: start of the horizon, and length of an epoch.
        racks, rack_servers: number of racks, from the brownest to the greenest, and of servers in
            each.
        busy_mw, asleep_mw: power of a server with a job and without.
        migration_mj: energy of moving the work of one server.
        supply, terms: expected energy, and payments.
        jobs: known jobs, in order of submission.
        expected: jobs of earlier days, one set for each span of the horizon's length or more, for
            the prices; if empty, prices come from `jobs`.
        search, weights: how to search, and weights of brown energy.
        epsilon_udollars: charge by which a server-epoch of each greener group is more expensive;
            not billed, it only affects decisions.
        violations_ppm: promised limit of the share of jobs that miss green energy.
        enforces_violations: whether the plan itself must be within this limit.
        refused_before: number of jobs that ran at the start by their log, but had found no room on
            submission; they are not in `jobs`.
        renamed: names of jobs whose number in the log is that of an earlier job.
        battery: for surplus green energy; None: there is none.
        grid_mw: power that is bought at negative prices; None: there are none.
        in_force: places of jobs in the current plan, by name; the new plan is never worse.
    """

    start_unix_s: int
    epoch_s: int
    racks: int
    rack_servers: int
    busy_mw: int
    asleep_mw: int
    migration_mj: int
    supply: ExpectedSupply
    terms: Terms
    jobs: tuple[NamedJob, ...]
    expected: tuple[tuple[NamedJob, ...], ...]
    search: PlanSearch
    weights: Weights
    epsilon_udollars: int = 10
    violations_ppm: int = 0
    refused_before: int = 0
    renamed: tuple[str, ...] = ()
    battery: Battery | None = None
    grid_mw: int | None = None
    objective: PlanObjective = PlanObjective.PROFIT
    enforces_violations: bool = False
    in_force: Mapping[str, RackPlaces] = field(default_factory=dict)

    @property
    def grid_cost(self) -> Fraction:
        """Weighted cost of the power that is bought at negative prices, in micro-units."""
        return cost_of_grid(self.supply, self.weights, self.grid_mw, self.epoch_s)

    @property
    def method(self) -> PlanMethod:
        """Method by which the plan of rigid jobs is computed."""
        return self.search.method


@dataclass(frozen=True, eq=False)
class PlanSolution:
    """A plan of jobs with the proof of its value; money is in millionths of a dollar.

    Figures are rounded in the unfavourable direction. value: of the plan, by the objective. bound:
    upper bound on the value of every plan; None: not proved. admitted: number of the known jobs
    that are placed. course: convergence of the search, by the negative value, which is minimised;
    empty if there was no search.
    """

    plan: Plan
    value: int
    bound: int | None
    admitted: int
    evaluations: int
    proof: str
    solver: str
    rows: tuple[()] = ()
    course: tuple[ConvergencePoint, ...] = ()
