"""Rigid jobs to be placed on racks that hang on a green or a brown bus, and prices for others.

Source: Haque, Rutgers 2016, appendix A.
"""

from __future__ import annotations

from dataclasses import dataclass

from tailc.forms.plan.battery import Battery
from tailc.forms.plan.plan import Plan, Terms
from tailc.forms.plan.quote import RigidJob
from tailc.problems.convergence import Milestone
from tailc.problems.plan import ExpectedSupply, PlanMethod, PlanObjective, PlanSearch, Weights


@dataclass(frozen=True)
class NamedJob:
    """A job to be placed: it starts in its first epoch, or as many as `may_wait` epochs later.

    must_run: it has begun already, and is not turned away.
    """

    name: str
    job: RigidJob
    may_wait: int = 0
    must_run: bool = False

    def __post_init__(self) -> None:
        if self.may_wait < 0 or (self.may_wait and self.must_run):
            raise ValueError("a job that waits has not begun, and waits for no negative time")


@dataclass(frozen=True, eq=False)
class RacksProblem:
    """Place the jobs that are known, and price servers for those expected.

    racks, rack_servers: of as many servers each, from the brownest rack to the greenest. busy_mw,
    asleep_mw: of a server with a job and without. migration_mj: of moving what one server does.
    jobs: in order of submission. expected: jobs as days before brought them, one set a day or more
    of the horizon's length; the prices are made from these, and from `jobs` where there is none.
    epsilon_udollars: opportunity cost by which a slot of each greener group is dearer, which no
    bill has. violations_ppm: the promise, as in the plan. refused_before: so many jobs ran at the
    start by their log, but had found no room when they came; they are none of `jobs`. renamed:
    names of those whose number in the log is that of a job before.
    battery: for green energy that the plan leaves; None: there is none.
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
    objective: PlanObjective = PlanObjective.PROFIT

    @property
    def method(self) -> PlanMethod:
        """How a plan is looked for."""
        return self.search.method


@dataclass(frozen=True, eq=False)
class PlanSolution:
    """A plan with what speaks for it; figures in micro-units, rounded towards the worse.

    value: of the plan, by the objective. bound: no plan is better; None: none is proved.
    admitted: of the jobs that were known. course: of the search, by the value with its sign
    changed, which is minimised; empty where nothing was searched.
    """

    plan: Plan
    value: int
    bound: int | None
    admitted: int
    evaluations: int
    proof: str
    solver: str
    rows: tuple[()] = ()
    course: tuple[Milestone, ...] = ()
