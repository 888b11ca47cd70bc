"""Baselines on hardware threads: how long requests share their core with batch work."""

from __future__ import annotations

from tailc.forms.ladder.lanes import SharingPlan, lane_ladder, plan_at_any_load
from tailc.models.baseline_syntax import Placeholder
from tailc.models.request_baselines import Setup
from tailc.models.smt.baselines.no_batch import no_batch
from tailc.models.smt.model import Smt
from tailc.problems.borrowing import Borrowing, budget_age_us, sharing_plan
from tailc.units import format_us

# The age is the same at every rate.
_ANY_RATE = 0


def at_age(name: str, policy: Smt, age_us: int | None) -> Smt:
    """Make a policy in which requests share their core with batch work up to an age.

    age_us: the age [us]; None: always.
    """
    return _policy_of_plan(name, policy, plan_at_any_load(age_us, policy.lanes.cores), "")


def with_budget(borrowing: Borrowing, setup: Setup[Smt]) -> Smt:
    """Make a policy in which requests share cores with batch work within a budget.

    borrowing: the rule by which the budget is used. The budget is that in the baseline's name.
    Without one it is the target less the latency percentile of requests that are alone on their
    cores.
    """
    policy, lanes = setup.policy, setup.policy.lanes
    budget_us = setup.values.get(Placeholder.BUDGET)
    if budget_us is None:
        alone_us = setup.search.tail_us(no_batch(lanes, policy.waking))
        budget_us = max(setup.search.target_us - alone_us, 0)
    age_us = budget_age_us(budget_us, lanes, charges_harm=borrowing is Borrowing.DYNAMIC)
    plan = sharing_plan(borrowing, ((_ANY_RATE, age_us),), lanes)
    return _policy_of_plan(borrowing.value, policy, plan, f"budget {format_us(budget_us)}")


def _policy_of_plan(name: str, policy: Smt, plan: SharingPlan, note: str) -> Smt:
    ladder = lane_ladder(policy.lanes, plan)
    return Smt(name, (ladder,), note=note, waking=policy.waking)
