"""Malleable jobs to be given servers of one bus, epoch by epoch, and prices for others.

Source: Haque, Rutgers 2016, appendix B.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailc.forms.plan.battery import Battery
from tailc.forms.plan.plan import PPM, Plan
from tailc.problems.convergence import Milestone
from tailc.problems.plan import ExpectedSupply, PlanMethod, PlanObjective, PlanSearch, Weights


@dataclass(frozen=True)
class NamedMalleable:
    """A job that may run on more servers or on fewer.

    submit_s: since the horizon's start. work_s: how long it runs on one server. requested: servers
    that it asks for. speedup_ppm: of so many virtual machines, chosen when it starts, the speed-up
    on so many servers, in millionths. may_wait: so many epochs may its start be put off.
    """

    name: str
    submit_s: int
    work_s: int
    requested: int
    speedup_ppm: Mapping[int, Mapping[int, int]]
    may_wait: int = 0

    def __post_init__(self) -> None:
        if min(self.work_s, self.requested) <= 0 or min(self.submit_s, self.may_wait) < 0:
            raise ValueError("a job has work to do on a server, and comes within the horizon")
        if self.requested not in self.speedup_ppm.get(min(self.speedup_ppm), {}):
            raise ValueError("a job needs its speed-up on the servers that it asks for")

    @property
    def requested_ppm(self) -> int:
        """The speed-up on the servers that it asks for, with the fewest machines."""
        return self.speedup_ppm[min(self.speedup_ppm)][self.requested]

    @property
    def asked_s(self) -> int:
        """How long it runs on those, rounded up."""
        return -(-self.work_s * PPM // self.requested_ppm)


@dataclass(frozen=True, eq=False)
class ClusterProblem:
    """Give the jobs that are known their servers, and price servers for those expected.

    busy_mw, asleep_mw: of a server with a job and without. change_mj: energy of giving a job one
    server more or less. slowdown_ppm: F, as in the plan. run_cost: micro-units for each hour of
    mean run time. expected: jobs as days before brought them, of which the prices are made, and of
    `jobs` where there is none. violations_ppm: the promise, as in the plan. left_out: jobs that are
    known, but whose turn comes after the horizon. battery: for green energy that the plan leaves;
    None: there is none.
    """

    start_unix_s: int
    epoch_s: int
    servers: int
    busy_mw: int
    asleep_mw: int
    change_mj: int
    supply: ExpectedSupply
    slowdown_ppm: int
    run_cost: int
    jobs: tuple[NamedMalleable, ...]
    expected: tuple[tuple[NamedMalleable, ...], ...]
    search: PlanSearch
    weights: Weights
    violations_ppm: int = 0
    left_out: int = 0
    battery: Battery | None = None
    objective: PlanObjective = PlanObjective.COST

    def __post_init__(self) -> None:
        if min(self.servers, self.busy_mw, self.epoch_s) <= 0 or self.slowdown_ppm < PPM:
            raise ValueError("a cluster has servers that draw power, and slows jobs by 1 or more")

    @property
    def method(self) -> PlanMethod:
        """How a plan is looked for."""
        return self.search.method


@dataclass(frozen=True)
class Placed:
    """How a job fares under a plan.

    vms: virtual machines that it starts with. run_s: how long it runs, rounded up. is_cut: whether
    it goes on beyond the horizon.
    """

    vms: int
    run_s: int
    is_cut: bool


@dataclass(frozen=True, eq=False)
class ClusterSolution:
    """A plan with what speaks for it; figures in micro-units, rounded towards the worse.

    value: cost of the plan, with what its jobs take beyond the horizon. bound: no plan costs less;
    None: none is proved. placed: how each job fares, in order.
    columns, nodes: schedules that were tried, and nodes of the tree. epochs_beyond: so many after
    the horizon were planned too. spans: days that stand behind the prices, 0: the plan's own jobs.
    course: how far the search was after so many linear programs.
    """

    plan: Plan
    value: int
    bound: int | None
    placed: tuple[Placed, ...]
    columns: int
    nodes: int
    epochs_beyond: int
    spans: int
    proof: str
    solver: str
    rows: tuple[()] = ()
    course: tuple[Milestone, ...] = ()

    @property
    def evaluations(self) -> int:
        """Schedules that were tried."""
        return self.columns

    @property
    def gap_ppm(self) -> int | None:
        """Value less bound, in millionths of the value, rounded up; None without a bound."""
        if self.bound is None:
            return None
        return -(-(self.value - self.bound) * PPM // self.value) if self.value else 0
