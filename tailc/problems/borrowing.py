"""The problem of how long batch work may share a core with a request, and its solution.

A budget B is the latency that requests may lose: the SLO's latency minus the same percentile of
requests that are alone on their cores at that load (Yang et al., USENIX ATC 2016, section 3).
Policies (`Borrowing`) differ in which requests get this budget:

    IDLE        no request: batch work leaves its lane as a request starts
    FIXED       a request that did not wait, once
    REFRESH     a request that leaves none waiting as it starts, also after another one
    DYNAMIC     as REFRESH, but the budget is used up by delay, not by time
    SAFE        all requests of a busy period of a core together
    OPTIMISED   budgets by number in the system, for the most batch work under the SLO
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tailc.forms.ladder.lanes import (
    AT_ONCE_AWAKE,
    QUANTUM_US,
    Lanes,
    SharingPlan,
    Waking,
    plan_at_any_load,
    plan_by_rate,
    plan_while_none_waits,
)
from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.forms.ladder.table import PPM, Rule
from tailc.traces.profile import DemandProfile

# 101 days: longer than any request runs, and in nanoseconds far within 64 bits.
LONGEST_AGE_US = 2**43


class Borrowing(enum.Enum):
    """Rule for which requests may share their core with batch work, and for how long.

    IDLE: none; batch work leaves as a request starts. FIXED: a request that did not wait, for a
    fixed time. REFRESH: a request that leaves none waiting at its start, within a budget of time.
    DYNAMIC: as REFRESH, within a budget of delay. SAFE: all requests of a core's busy period,
    within one budget of delay. OPTIMISED: up to an age that depends on the number in the system.
    """

    IDLE = "borrow-idle"
    FIXED = "fixed"
    REFRESH = "refresh"
    DYNAMIC = "dynamic"
    SAFE = "safe"
    OPTIMISED = "optimised"


class BatchObjective(enum.Enum):
    """The objective for SMT cores: the batch work that is given up for requests.

    It is for policies whose budget is not given.
    """

    BATCH = "batch work given up"


class BudgetMethod(enum.Enum):
    """How the time is determined for which a request may share its core with batch work.

    NONE: there is no such limit. GIVEN: the spec states it. HEADROOM: the difference between the
    SLO and the latency without batch work. SEARCH: found by replays.
    """

    NONE = "no budget"
    GIVEN = "given budget"
    HEADROOM = "headroom"
    SEARCH = "search"


@dataclass(frozen=True)
class Calibration:
    """Two arrival rates from which the interference of batch work with requests is calibrated.

    Requests that always share their core have the same percentile at `shared_mrps` as requests
    alone have at the higher rate `alone_mrps`. Both in thousandths of a request per second.
    """

    alone_mrps: int
    shared_mrps: int

    def __post_init__(self) -> None:
        assert 0 < self.shared_mrps < self.alone_mrps


@dataclass(frozen=True, eq=False)
class BorrowingProblem:
    """The problem of how long requests on SMT cores share their cores with batch work.

    Attributes:
        profile: demands without sharing.
        interference: slowdown of a request next to batch work [1e-6], or how to calibrate it.
        batch_slowdown_ppm: slowdown of batch work next to a request; None: the same as
            interference.
        borrowing: which requests may share.
        budget_us: the time that may be lost; None: the difference between the SLO and the latency
            without batch work, found by replay, the least over all rates.
        is_by_load: whether that difference is by rate instead.
        keeps_last: above the last rate, whether its budget applies; otherwise there is none.
        charges_harm: whether a budget is used up by the time that a request loses, not by the time
            that it shares its core.
        release_us: how long batch work still interferes after a request to leave.
        percentile_ppm, target_us: the SLO.
        waking: wake-up times of batch work and of a core without it.
    """

    profile: DemandProfile
    cores: int
    interference: int | Calibration
    batch_slowdown_ppm: int | None
    borrowing: Borrowing
    budget_us: int | None
    is_by_load: bool
    keeps_last: bool
    charges_harm: bool
    release_us: int
    percentile_ppm: int
    target_us: int
    rates_mrps: tuple[int, ...]
    waking: Waking = AT_ONCE_AWAKE
    objective: BatchObjective = BatchObjective.BATCH

    def __post_init__(self) -> None:
        assert self.rates_mrps == tuple(sorted(set(self.rates_mrps)))
        assert self.rates_mrps
        assert not (self.is_by_load and self.budget_us is not None)

    @property
    def method(self) -> BudgetMethod:
        """Method by which the time for sharing a core with batch work is determined."""
        if self.borrowing is Borrowing.IDLE:
            return BudgetMethod.NONE
        if self.borrowing is Borrowing.OPTIMISED:
            return BudgetMethod.SEARCH
        return BudgetMethod.HEADROOM if self.budget_us is None else BudgetMethod.GIVEN


@dataclass(frozen=True)
class LoadPoint:
    """Results of replaying the design trace on SMT cores at one arrival rate.

    rate_mrps: the rate [1/1000 s]. alone_us: latency percentile without batch work. budget_us:
    budget of shared or lost time; None if there is none. tail_us: latency percentile under the
    plan; None in overload. batch_ppm: batch work per core, relative to that of a free core.
    most_ppm: upper bound on it for any policy that meets the target in these replays; None if
    unknown.
    """

    rate_mrps: int
    alone_us: int
    budget_us: int | None
    tail_us: int | None
    batch_ppm: int
    most_ppm: int | None = None


@dataclass(frozen=True)
class RateRow:
    """Predicted figures of a policy for SMT cores at one rate, for its evidence.

    None in overload.
    """

    evidence: RowEvidence | None


@dataclass(frozen=True)
class BorrowingSolution:
    """When requests on SMT cores share their core with batch work, with predictions at each rate.

    lanes: the cores and their slowdowns. plan: ages at which requests stop sharing. points, rows:
    results of replays, and evidence, at each rate. proof: what proves the solution. evaluations:
    replays.
    """

    lanes: Lanes
    plan: SharingPlan
    points: tuple[LoadPoint, ...]
    rows: tuple[RateRow, ...]
    proof: str
    solver: str
    evaluations: int


def budget_age_us(budget_us: int, lanes: Lanes, *, charges_harm: bool) -> int | None:
    """The age at which a budget is used up [us]; None: never, if sharing causes no delay.

    charges_harm: the budget is used up by delay; then a request loses the fraction `interference`
    of the time (our reading: the paper has no formula). No age exceeds `LONGEST_AGE_US`.
    """
    if charges_harm and lanes.interference_ppm == 0:
        return None
    age_us = budget_us * PPM // lanes.interference_ppm if charges_harm else budget_us
    return min(age_us, LONGEST_AGE_US)


def sharing_plan(
    borrowing: Borrowing, ages_us: tuple[tuple[int, int | None], ...], lanes: Lanes
) -> SharingPlan:
    """Make the plan of when requests share their core, from the ages at which they stop.

    There is an age for each rate, or one for all rates. REFRESH and DYNAMIC distinguish requests by
    the number waiting, and so have one age for all rates. The age of IDLE is the time that batch
    work takes to leave. OPTIMISED has no plan here, since it is found by search.
    """
    match borrowing:
        case Borrowing.REFRESH | Borrowing.DYNAMIC:
            return plan_while_none_waits(_least(ages_us), lanes.cores)
        case Borrowing.SAFE:
            # The check at which a budget ends may come a quantum late.
            ages_us = tuple((rate, _sooner(age)) for rate, age in ages_us)
            return _by_rate_or_any(ages_us, lanes, Rule.BUSY_PERIOD_AGE)
        case _:
            assert borrowing in (Borrowing.IDLE, Borrowing.FIXED)
            return _by_rate_or_any(ages_us, lanes, Rule.WAITED_START_LAST)


def _by_rate_or_any(
    ages_us: tuple[tuple[int, int | None], ...], lanes: Lanes, rule: Rule
) -> SharingPlan:
    if len({age for _, age in ages_us}) == 1:
        return plan_at_any_load(ages_us[0][1], lanes.cores, rule)
    return plan_by_rate(ages_us, rule)


def _least(ages_us: tuple[tuple[int, int | None], ...]) -> int | None:
    finite = [age for _, age in ages_us if age is not None]
    return min(finite) if finite else None


def _sooner(age_us: int | None) -> int | None:
    return None if age_us is None else max(age_us - QUANTUM_US, 0)
