"""A battery beside a plan that is given."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.forms.plan.plan import PPM, Battery, Epoch
from tailc.forms.plan.plan_books import plan_books
from tailc.pipeline.plan_battery import saved_udollars, with_battery, with_own_battery
from tailc.problems.plan import Weights
from tests.tailc.artifact.published import policy_of
from tests.tailc.forms.plan.random_plans import random_plan
from tests.tailc.forms.plan.random_plans import with_battery as with_any_battery

KWH = 3_600_000_000


def cluster(*epochs: Epoch):
    """Four servers that sleep at 9 W each, in hours."""
    whole = policy_of("plan-slow").plan
    assert whole
    pools = (replace(whole.pools[0], busy_mw=10_000, asleep_mw=9_000),)
    prices = (replace(whole.prices[0], udollars=(0,) * len(epochs)),)
    return replace(whole, epoch_s=3_600, pools=pools, jobs=(), epochs=epochs, prices=prices)


def test_a_battery_gives_where_brown_energy_is_dearest():
    """Asleep, servers draw 36 Wh an hour. Of the 40 Wh that are left in the first 30 are kept, and
    go where they cost most: 20 into the last, which is all that it may give, and 10 into the third.
    """
    plan = cluster(
        Epoch(76_000, 90_000, 500, None),
        Epoch(0, 80_000, 100, None),
        Epoch(0, 200_000, 900, None),
        Epoch(0, 100_000, 200, None),
        Epoch(0, 300_000, 100, None),
    )
    battery = Battery(KWH, 40_000, 20_000, 750_000, 0)
    found = with_battery(plan, battery)
    assert [flow / 3_600_000 for flow in found.battery_mj] == [40, 0, -10, 0, -20]
    saved = plan_books(plan).ledger.brown_udollars - plan_books(found).ledger.brown_udollars
    assert saved == 10 * 200 + 20 * 300
    assert saved_udollars(found) == saved
    assert saved_udollars(plan) == 0
    # By CO2: the third hour, and then the fourth.
    carbon = with_battery(plan, battery, [one.brown_mg_per_kwh for one in plan.epochs])
    assert [flow / 3_600_000 for flow in carbon.battery_mj] == [40, 0, -20, -10, 0]
    by_carbon = with_own_battery(plan, battery, Weights(money=0, carbon=1))
    assert by_carbon == carbon
    assert with_own_battery(plan, None, Weights()) == plan
    # What counts more at the end than in any hour stays.
    kept = with_battery(plan, battery, end_of_kwh=300_001)
    assert [flow / 3_600_000 for flow in kept.battery_mj] == [40, 0, 0, 0, 0]


@given(st.integers(0, 2**32))
def test_no_other_schedule_of_the_same_battery_costs_less(seed):
    rng = Random(seed)
    plain = random_plan(rng, largest_whole=10**9).without_battery()
    other = with_any_battery(rng, plain)
    assert other.battery
    best = with_battery(plain, other.battery)
    cost = plan_books(best).ledger.brown_udollars
    assert cost <= plan_books(other).ledger.brown_udollars
    assert cost <= plan_books(plain).ledger.brown_udollars
    assert best.without_battery() == plain
    assert with_battery(other, other.battery) == best


def test_energy_that_readers_do_not_keep_exact_is_refused():
    plan = cluster(Epoch(2**53 // 3_600 + 1, 1, 1, None))
    with pytest.raises(ValueError, match=r"2\^53 mJ"):
        with_battery(plan, Battery(1, 1, 1, PPM, 0))
