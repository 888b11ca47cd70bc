"""Baselines on lanes by name: the policies of Yang et al., USENIX ATC 2016, and no policy."""

from __future__ import annotations

from tailc.forms.ladder.borrowing import Borrowing, age_of, plan_of
from tailc.forms.ladder.lanes import Lanes, Plan, at_any_load, lane_ladder, lanes_of
from tailc.forms.ladder.table import Ladder
from tailc.replay.baselines.lanes.asked import NAMES, Asked, Extreme, asked
from tailc.replay.baselines.search import Search
from tailc.replay.subject import Subject
from tailc.units import format_us

# One age is the same at every rate.
_ANY_RATE = 0


def lane_baseline(name: str, ladder: Ladder, search: Search) -> Subject:
    """The baseline of that name on the lanes of the policy.

    Without one in its name the budget is the headroom of the SLO over requests alone. Raises
    TailcError (USAGE) for a name that does not fit.
    """
    wanted, lanes = asked(name), lanes_of(ladder)
    if isinstance(wanted.who, Extreme):
        return _on(lanes, wanted.who.value, at_any_load(None, lanes.cores))
    if wanted.who is Borrowing.IDLE:
        return _alone(lanes)
    budget_us = _budget_us(wanted, lanes, search)
    harm = wanted.who is Borrowing.DYNAMIC
    age_us = age_of(budget_us, lanes, charges_harm=harm)
    plan = plan_of(wanted.who, ((_ANY_RATE, age_us),), lanes)
    return _on(lanes, wanted.who.value, plan, f"budget {format_us(budget_us)}")


def lane_default_names() -> tuple[str, ...]:
    """All of them, the most careful first."""
    return NAMES


def _alone(lanes: Lanes) -> Subject:
    return _on(lanes, Borrowing.IDLE.value, at_any_load(0, lanes.cores))


def _budget_us(wanted: Asked, lanes: Lanes, search: Search) -> int:
    if wanted.budget_us is not None:
        return wanted.budget_us
    return max(search.target_us - search.tail_us(_alone(lanes)), 0)


def _on(lanes: Lanes, name: str, plan: Plan, note: str = "") -> Subject:
    return Subject(name, (lane_ladder(lanes, plan),), note=note)
