"""Malleable jobs to be given servers of one bus, epoch by epoch, and prices for others.

Source: Haque, Rutgers 2016, appendix B.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailc.forms.plan.asked import ExpectedSupply, PlanMethod, PlanObjective, PlanSearch, Weights
from tailc.forms.plan.plan import PPM


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


@dataclass(frozen=True, eq=False)
class ClusterProblem:
    """Give the jobs that are known their servers, and price servers for those expected.

    busy_mw, asleep_mw: of a server with a job and without. change_mj: energy of giving a job one
    server more or less. slowdown_ppm: F, as in the plan. run_cost: micro-units for each hour of
    mean run time. expected: jobs as days before brought them, of which the prices are made, and of
    `jobs` where there is none. violations_ppm: the promise, as in the plan.
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
    objective: PlanObjective = PlanObjective.COST

    def __post_init__(self) -> None:
        if min(self.servers, self.busy_mw, self.epoch_s) <= 0 or self.slowdown_ppm < PPM:
            raise ValueError("a cluster has servers that draw power, and slows jobs by 1 or more")

    @property
    def method(self) -> PlanMethod:
        """How a plan is looked for."""
        return self.search.method
