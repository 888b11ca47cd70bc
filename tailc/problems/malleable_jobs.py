"""The problem of malleable jobs: servers of each job by epoch, and prices for other jobs.

Source: Haque, Rutgers 2016, appendix B.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from tailc.forms.plan.battery import Battery
from tailc.forms.plan.plan import PPM, Plan
from tailc.problems.convergence import ConvergencePoint
from tailc.problems.plan import (
    ExpectedSupply,
    PlanMethod,
    PlanObjective,
    PlanSearch,
    Weights,
    cost_of_grid,
)


@dataclass(frozen=True)
class BegunRun:
    """State of a malleable job that has begun, from which the next plan continues it.

    vms: number of its virtual machines. servers: number of its servers in the last epoch. done:
    work done, as speed-up [1e-6] times seconds. ran_s: run time so far [s].
    """

    vms: int
    servers: int
    done: int
    ran_s: int


@dataclass(frozen=True)
class NamedMalleable:
    """A job of a plan that can run on a variable number of servers.

    submit_s: time of submission since the horizon's start. work_s: run time on one server.
    requested: number of servers that it requests. speedup_ppm: speed-up [1e-6] by number of virtual
    machines, chosen at its start, and by number of servers. may_wait: number of epochs by which its
    start may be delayed. begun: its progress; None: it has not begun, or only its remaining work is
    known, as a new job.
    """

    name: str
    submit_s: int
    work_s: int
    requested: int
    speedup_ppm: Mapping[int, Mapping[int, int]]
    may_wait: int = 0
    begun: BegunRun | None = None

    def __post_init__(self) -> None:
        if min(self.work_s, self.requested) <= 0 or min(self.submit_s, self.may_wait) < 0:
            raise ValueError(
                "`work_s` and `requested` must be at least 1, `submit_s` and `may_wait` 0 or more"
            )
        if self.requested not in self.speedup_ppm.get(min(self.speedup_ppm), {}):
            raise ValueError("`speedup_ppm` must include the requested number of servers")
        if self.begun is not None and self.begun.servers not in self.speedup_ppm[self.begun.vms]:
            raise ValueError("a running job must be on a number of servers that has a speed-up")
        if self.work_left <= 0:
            raise ValueError("a job that is done must not be planned")

    @property
    def shapes(self) -> Mapping[int, Mapping[int, int]]:
        """Speed-ups of the job [1e-6], by the number of virtual machines that it may have.

        A job that has begun has one such number. The inner mapping is by number of servers.
        """
        vms = None if self.begun is None else self.begun.vms
        return self.speedup_ppm if vms is None else {vms: self.speedup_ppm[vms]}

    @property
    def work_left(self) -> int:
        """Remaining work of the job: speed-up times seconds [1e-6 s]."""
        return self.work_s * PPM - (0 if self.begun is None else self.begun.done)

    def longest_s(self, slowdown_ppm: int) -> int:
        """Longest allowed run time of the job from its start, rounded up [s].

        slowdown_ppm: limit of its run time relative to that on the servers that it requests [1e-6].
        """
        return -(-self.work_s * slowdown_ppm // self.requested_ppm)

    @property
    def requested_ppm(self) -> int:
        """Speed-up on the requested servers, with the fewest virtual machines."""
        return self.speedup_ppm[min(self.speedup_ppm)][self.requested]

    @property
    def asked_s(self) -> int:
        """Run time of the job on the servers that it requests, rounded up [s]."""
        return -(-self.work_s * PPM // self.requested_ppm)


@dataclass(frozen=True, eq=False)
class ClusterProblem:
    """The problem: assign servers to known jobs by epoch, and price servers for expected jobs.

    Attributes:
        busy_mw, asleep_mw: power of a server with a job and without.
        change_mj: energy of adding or removing one server of a job.
        supply: expected energy in each epoch.
        slowdown_ppm: largest allowed run time of a job, relative to that on its requested servers,
            F.
        run_cost: micro-units for each hour of mean run time.
        jobs: known jobs.
        expected: jobs of earlier days, for the prices; if empty, prices come from `jobs`.
        search, weights: how to search, and weights of brown energy in the cost.
        violations_ppm: promised limit of the share of jobs that exceed their slowdown.
        left_out: number of known jobs that would begin after the horizon.
        battery: for surplus green energy; None: there is none.
        grid_mw: power that is bought at negative prices; None: there are none.
        in_force: servers of jobs in the plan in force, by name and epoch, from which the search
            starts.
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
    grid_mw: int | None = None
    objective: PlanObjective = PlanObjective.COST
    in_force: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if min(self.servers, self.busy_mw, self.epoch_s) <= 0 or self.slowdown_ppm < PPM:
            raise ValueError("servers, power and epoch must be above 0, and the slowdown 1 or more")

    @property
    def grid_cost(self) -> Fraction:
        """Weighted cost of the power that is bought at negative prices, in micro-units."""
        return cost_of_grid(self.supply, self.weights, self.grid_mw, self.epoch_s)

    @property
    def method(self) -> PlanMethod:
        """Method by which the plan of malleable jobs is computed."""
        return self.search.method


@dataclass(frozen=True)
class PlannedRun:
    """Run of a malleable job under a plan: virtual machines and run time.

    vms: number of virtual machines. run_s: run time, rounded up. is_cut: whether it continues after
    the horizon.
    """

    vms: int
    run_s: int
    is_cut: bool


@dataclass(frozen=True, eq=False)
class ClusterSolution:
    """A plan of malleable jobs with the proof of its cost; figures in micro-units.

    Figures are rounded in the unfavourable direction. value: cost of the plan, including its jobs'
    run time after the horizon. bound: lower bound on the cost of every plan; None: not proved.
    placed: the run of each job, in order. columns, nodes: schedules tried, and nodes of the search
    tree. epochs_beyond: planned epochs after the horizon. spans: earlier days used for the prices,
    0: prices come from the plan's own jobs. course: convergence by number of linear programs.
    """

    plan: Plan
    value: int
    bound: int | None
    placed: tuple[PlannedRun, ...]
    columns: int
    nodes: int
    epochs_beyond: int
    spans: int
    proof: str
    solver: str
    rows: tuple[()] = ()
    course: tuple[ConvergencePoint, ...] = ()

    @property
    def evaluations(self) -> int:
        """Number of schedules that the search for the plan tried."""
        return self.columns

    @property
    def gap_ppm(self) -> int | None:
        """Cost of the plan minus its lower bound, relative to the size of the cost [1e-6].

        Rounded up; None without a bound. A plan that is paid for power has a negative cost, and
        still a positive gap.
        """
        if self.bound is None:
            return None
        return -(-max(self.value - self.bound, 0) * PPM // max(abs(self.value), 1))
