"""How long batch work borrows a core from requests, and the answer to that.

A budget B is what latency may lose: the SLO's latency less the same percentile of requests alone
at that load (Yang et al., USENIX ATC 2016, section 3). Who gets it differs by policy:

    IDLE        nobody: batch work leaves its lane as a request starts
    FIXED       a request that did not wait, once
    REFRESH     a request that leaves none waiting as it starts, be it after another
    DYNAMIC     the same, charged by the harm done in place of the time
    SAFE        all requests of a busy period of a core together
    OPTIMISED   by the number in the system, for the most batch work under the SLO
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tailc.forms.ladder.lanes import (
    AT_ONCE_AWAKE,
    QUANTUM_US,
    Lanes,
    Plan,
    Waking,
    at_any_load,
    by_rate,
    while_none_waits,
)
from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.forms.ladder.table import PPM, Rule
from tailc.traces.profile import DemandProfile

# 101 days: longer than any request runs, and in nanoseconds far within 64 bits.
LONGEST_AGE_US = 2**43


class Borrowing(enum.Enum):
    """Who gets the budget."""

    IDLE = "borrow-idle"
    FIXED = "fixed"
    REFRESH = "refresh"
    DYNAMIC = "dynamic"
    SAFE = "safe"
    OPTIMISED = "optimised"


class BatchAim(enum.Enum):
    """What is minimised: nothing where a policy has a budget, and batch work given up."""

    BATCH = "batch work given up"


class BudgetMethod(enum.Enum):
    """Where the budget is from."""

    NONE = "no budget"
    GIVEN = "given budget"
    HEADROOM = "headroom"
    SEARCH = "search"


@dataclass(frozen=True)
class Calibration:
    """The interference at which requests that always share their core have, at one rate, the
    percentile that they have alone at another, higher one [thousandths of a request per second].
    """

    alone_mrps: int
    shared_mrps: int

    def __post_init__(self) -> None:
        assert 0 < self.shared_mrps < self.alone_mrps


@dataclass(frozen=True, eq=False)
class BorrowingProblem:
    """Requests of a profile, at reference speed alone, on cores with batch work beside them.

    `interference`: how much slower a request is beside batch work, in millionths, or by what to
    find that; `batch_slowdown_ppm` None: batch work suffers as much. `budget_us` None: the headroom
    is found by replay, the least of all rates, or, if `is_by_load`, at each; above the last rate
    nobody has a budget then, but if `keeps_last` as at the last rate. `charges_harm`: a
    budget is used up by the time that a request loses, not by the time that it shares its core.
    `release_us`: how long batch work still interferes after it was told to leave. `waking`: how
    long it takes to wake up again, and a core where there is none.
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
    objective: BatchAim = BatchAim.BATCH

    def __post_init__(self) -> None:
        assert self.rates_mrps == tuple(sorted(set(self.rates_mrps)))
        assert self.rates_mrps
        assert not (self.is_by_load and self.budget_us is not None)

    @property
    def method(self) -> BudgetMethod:
        """Where the budget is from."""
        if self.borrowing is Borrowing.IDLE:
            return BudgetMethod.NONE
        if self.borrowing is Borrowing.OPTIMISED:
            return BudgetMethod.SEARCH
        return BudgetMethod.HEADROOM if self.budget_us is None else BudgetMethod.GIVEN


@dataclass(frozen=True)
class LoadPoint:
    """What replays of the design sample show at one rate.

    `alone_us`: the percentile of requests alone; `tail_us`: under the plan, None where the queue
    has no end; `budget_us`: None where none is given out. `batch_ppm`: batch work by core, relative
    to that beside a free core; `most_ppm`: no policy that meets the target has more in these
    replays, None where no bound is known.
    """

    rate_mrps: int
    alone_us: int
    budget_us: int | None
    tail_us: int | None
    batch_ppm: int
    most_ppm: int | None = None


@dataclass(frozen=True)
class RateRow:
    """What is predicted at one rate, the evidence's load; None where a queue has no end."""

    evidence: RowEvidence | None


@dataclass(frozen=True)
class BorrowingSolution:
    """The lanes, the plan for them, and what is predicted at each rate."""

    lanes: Lanes
    plan: Plan
    points: tuple[LoadPoint, ...]
    rows: tuple[RateRow, ...]
    proof: str
    solver: str
    evaluations: int


def age_of(budget_us: int, lanes: Lanes, *, charges_harm: bool) -> int | None:
    """The age at which a budget is used up; None: never, if sharing does no harm.

    Charged by harm a request loses `interference` of the time (our reading: the paper has no
    formula). No age is above `LONGEST_AGE_US`.
    """
    if charges_harm and lanes.interference_ppm == 0:
        return None
    age_us = budget_us * PPM // lanes.interference_ppm if charges_harm else budget_us
    return min(age_us, LONGEST_AGE_US)


def plan_of(
    borrowing: Borrowing, ages_us: tuple[tuple[int, int | None], ...], lanes: Lanes
) -> Plan:
    """The plan of a policy with an age for each rate, or with one for all of them.

    REFRESH and DYNAMIC tell requests by how many wait, and so have one for all. The age of IDLE is
    how long batch work takes to leave. There is none of OPTIMISED, which is searched.
    """
    match borrowing:
        case Borrowing.REFRESH | Borrowing.DYNAMIC:
            return while_none_waits(_least(ages_us), lanes.cores)
        case Borrowing.SAFE:
            # The look at which a budget ends may come a quantum after that.
            ages_us = tuple((rate, _sooner(age)) for rate, age in ages_us)
            return _by_rate_or_any(ages_us, lanes, Rule.BUSY_PERIOD_AGE)
        case _:
            assert borrowing in (Borrowing.IDLE, Borrowing.FIXED)
            return _by_rate_or_any(ages_us, lanes, Rule.WAITED_START_LAST)


def _by_rate_or_any(ages_us: tuple[tuple[int, int | None], ...], lanes: Lanes, rule: Rule) -> Plan:
    if len({age for _, age in ages_us}) == 1:
        return at_any_load(ages_us[0][1], lanes.cores, rule)
    return by_rate(ages_us, rule)


def _least(ages_us: tuple[tuple[int, int | None], ...]) -> int | None:
    told = [age for _, age in ages_us if age is not None]
    return min(told) if told else None


def _sooner(age_us: int | None) -> int | None:
    return None if age_us is None else max(age_us - QUANTUM_US, 0)
