"""Baselines on lanes by name: the policies of Yang et al., USENIX ATC 2016, and no policy."""

from __future__ import annotations

from tailc.forms.ladder.lanes import Lanes, Plan, at_any_load, lane_ladder, lanes_of
from tailc.models.baselines.search import Search
from tailc.models.smt.baselines.asked import NAMES, Asked, Extreme, asked
from tailc.models.smt.baselines.no_batch import no_batch
from tailc.models.subject import Subject
from tailc.problems.borrowing import Borrowing, age_of, plan_of
from tailc.units import format_us

# One age is the same at every rate.
_ANY_RATE = 0


def lane_baseline(name: str, policy: Subject, search: Search) -> Subject:
    """The baseline of that name on the lanes of the policy.

    Without one in its name the budget is the headroom of the SLO over requests without batch work.
    Raises TailcError (USAGE) for a name that does not fit.
    """
    wanted, lanes = asked(name), lanes_of(policy.ladders[0])
    if wanted.who is Extreme.NEVER:
        return no_batch(lanes, policy.waking)
    plan, note = _plan(wanted, lanes, policy, search)
    return Subject(wanted.who.value, (lane_ladder(lanes, plan),), note=note, waking=policy.waking)


def lane_default_names(policy: Subject) -> tuple[str, ...]:
    """All of them, the most careful first; without batch work only where that changes requests."""
    sleeps = policy.waking.core_ns > 0
    return tuple(name for name in NAMES if sleeps or name != Extreme.NEVER.value)


def _plan(wanted: Asked, lanes: Lanes, policy: Subject, search: Search) -> tuple[Plan, str]:
    """For how long requests share, and the budget in words."""
    if wanted.who is Extreme.ALWAYS:
        return at_any_load(None, lanes.cores), ""
    if wanted.who is Borrowing.IDLE:
        return at_any_load(0, lanes.cores), ""
    assert isinstance(wanted.who, Borrowing)
    budget_us = wanted.budget_us
    if budget_us is None:
        alone_us = search.tail_us(no_batch(lanes, policy.waking))
        budget_us = max(search.target_us - alone_us, 0)
    age_us = age_of(budget_us, lanes, charges_harm=wanted.who is Borrowing.DYNAMIC)
    return plan_of(wanted.who, ((_ANY_RATE, age_us),), lanes), f"budget {format_us(budget_us)}"
