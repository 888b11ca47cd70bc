from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.forms.plan.battery import Battery
from tailc.forms.plan.plan import PPM, Epoch, Plan, PlannedJob, Pool, PoolPrices, Span, Terms
from tailc.forms.plan.plan_books import plan_books
from tests.tailc.forms.plan.random_plans import random_plan, with_battery

SEEDS = st.integers(0, 2**32)
# Ten seconds at 100 mW with its job, at 10 mW without: 1,000 and 100 mJ an epoch.
POOL = Pool("only", 1, 100, 10, 0)
# Keeps four fifths; up to 600 mJ an epoch go in, and up to 500 mJ come out.
BATTERY = Battery(1_000, 60, 50, 800_000, 100)


def plan(*flows_mj, battery=BATTERY, green_mw=(60, 85, 0, 30)) -> Plan:
    """A job in the last two of four epochs: 500, 750, -1,000 and -700 mJ are to spare."""
    supply = zip(green_mw, flows_mj, strict=True)
    epochs = tuple(Epoch(mw, 105_500, 200_000, None, flow) for mw, flow in supply)
    job = PlannedJob("late", (Span(0, 2, 2, 1),), 0)
    prices = (PoolPrices((0,) * len(epochs)),)
    return Plan(0, 10, (POOL,), epochs, (job,), prices, Terms(0, 0, 0), None, 0, battery)


def test_a_battery_holds_what_it_keeps_of_what_is_charged():
    """100 + 0.8 * 500, + 0.8 * 600 and less 500 each: 500, 980, 480."""
    found = plan(500, 600, -500, -480)
    assert BATTERY.states_mj(found.battery_mj) == (500, 980, 480, 0)


def test_what_is_kept_is_rounded_down():
    lossy = replace(BATTERY, kept_ppm=853_217)
    assert [lossy.stored_mj(charged) for charged in (0, 1, 2, 1_000_000)] == [0, 0, 1, 853_217]


@given(st.integers(0, 2**53), st.integers(1, PPM))
def test_the_least_charge_for_what_is_stored_stores_just_that(stored_mj, kept_ppm):
    lossy = Battery(1, 1, 1, kept_ppm, 0)
    charged_mj = lossy.to_charge_mj(stored_mj)
    assert lossy.stored_mj(charged_mj) == stored_mj
    assert charged_mj == 0 or lossy.stored_mj(charged_mj - 1) < stored_mj


def test_the_books_tell_what_is_charged_lost_and_given():
    """Epoch 1: 850 mJ produced, 100 drawn, 600 charged, 150 spilled; a fifth of 600 is lost."""
    found = plan_books(plan(500, 600, -500, -480))
    second, third = found.entries[1], found.entries[2]
    assert (second.green_used_mj, second.charged_mj, second.spilled_mj) == (100, 600, 150)
    assert (second.lost_mj, second.stored_mj) == (120, 480)
    assert (third.discharged_mj, third.brown_mj, third.stored_mj) == (500, 500, -500)
    told = found.ledger
    assert (told.charged_mj, told.lost_mj, told.discharged_mj) == (1_100, 220, 980)
    # 1,000 and 700 mJ are missing, of which 980 come from the battery.
    assert told.brown_mj == 1_700 - 980


@pytest.mark.parametrize(
    ("flows_mj", "said"),
    [
        (
            (500, 601, 0, 0),
            "`battery_mj` must be at most `charge_mw` or `discharge_mw` times `epoch_s`",
        ),
        (
            (0, 0, -501, 0),
            "`battery_mj` must be at most `charge_mw` or `discharge_mw` times `epoch_s`",
        ),
        (
            (501, 0, 0, 0),
            "`battery_mj` may only charge unused green energy or replace brown energy",
        ),
        ((-1, 0, 0, 0), "`battery_mj` may only charge unused green energy or replace brown energy"),
        ((0, 0, 1, 0), "`battery_mj` may only charge unused green energy or replace brown energy"),
        ((0, 0, -101, 0), "more than is stored"),
        (
            (500, 600, 0, None),
            "`battery_mj` must be present in every epoch with a `battery`, and otherwise in none",
        ),
    ],
)
def test_a_battery_that_cannot_do_what_is_planned_is_refused(flows_mj, said):
    with pytest.raises(ValueError, match=said):
        plan(*flows_mj)


def test_a_battery_that_would_hold_more_than_it_can_is_refused():
    plan(500, 600, 0, 0, battery=replace(BATTERY, capacity_mj=980))
    with pytest.raises(ValueError, match="`battery_mj` must not store more than `capacity_mj`"):
        plan(500, 600, 0, 0, battery=replace(BATTERY, capacity_mj=979))


def test_epochs_say_what_a_battery_does_just_where_there_is_one():
    for flows_mj, battery in (((0,) * 4, None), ((None,) * 4, BATTERY)):
        with pytest.raises(
            ValueError,
            match="`battery_mj` must be present in every epoch with a `battery`",
        ):
            plan(*flows_mj, battery=battery)


def test_no_more_is_given_than_brown_energy_would_be_drawn():
    """In the last epoch 1,000 mJ are drawn and 960 of them green."""
    parts = {"green_mw": (60, 85, 0, 96)}
    plan(0, 0, 0, -40, **parts)
    with pytest.raises(
        ValueError, match="`battery_mj` may only charge unused green energy or replace brown energy"
    ):
        plan(0, 0, 0, -41, **parts)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"capacity_mj": 0}, "`capacity_mj` must be at least 1"),
        ({"charge_mw": 0}, "`charge_mw` and `discharge_mw` must be at least 1"),
        ({"discharge_mw": -1}, "`charge_mw` and `discharge_mw` must be at least 1"),
        ({"kept_ppm": 0}, "`kept_ppm` must be 1 to 1,000,000"),
        ({"kept_ppm": PPM + 1}, "`kept_ppm` must be 1 to 1,000,000"),
        ({"first_mj": -1}, "`first_mj` must be 0 to `capacity_mj`"),
        ({"first_mj": 1_001}, "`first_mj` must be 0 to `capacity_mj`"),
    ],
)
def test_a_battery_that_cannot_be_is_refused(parts, said):
    with pytest.raises(ValueError, match=said):
        replace(BATTERY, **parts)


@pytest.mark.parametrize("name", ["charge_mw", "discharge_mw", "green_mw", "busy_mw"])
def test_energy_that_doubles_do_not_keep_exact_is_refused(name):
    """Ten seconds at 900,719,925,474,099 mW are 2^53 - 2 mJ."""
    limit_mw = 900_719_925_474_099

    def found(power_mw):
        if name == "busy_mw":
            free = replace(plan(0, 0, 0, 0), jobs=())
            return replace(free, pools=(replace(POOL, busy_mw=power_mw),))
        if name == "green_mw":
            return plan(0, 0, 0, 0, green_mw=(power_mw, 0, 0, 0))
        return plan(0, 0, 0, 0, battery=replace(BATTERY, **{name: power_mw}))

    found(limit_mw)
    with pytest.raises(ValueError, match=r"2\^53 mJ"):
        found(limit_mw + 1)


@given(SEEDS)
def test_energy_balances_in_every_epoch_with_a_battery(seed):
    rng = Random(seed)
    found = random_plan(rng, largest_whole=10**9)
    if found.battery is None:
        found = with_battery(rng, found)
    battery = found.battery
    assert battery
    state_mj = battery.first_mj
    for epoch, entry in zip(found.epochs, plan_books(found).entries, strict=True):
        assert entry.green_mj == epoch.green_mw * found.epoch_s
        assert entry.green_mj == entry.green_used_mj + entry.charged_mj + entry.spilled_mj
        assert entry.demand_mj == entry.green_used_mj + entry.discharged_mj + entry.brown_mj
        assert min(entry.charged_mj, entry.discharged_mj) == 0
        assert 0 <= entry.charged_mj <= battery.charge_mw * found.epoch_s
        assert 0 <= entry.discharged_mj <= battery.discharge_mw * found.epoch_s
        # A millijoule of what is charged is lost only where a part of it is.
        lost = entry.charged_mj * (PPM - battery.kept_ppm)
        assert lost <= entry.lost_mj * PPM < lost + PPM
        state_mj += entry.charged_mj - entry.lost_mj - entry.discharged_mj
        assert 0 <= state_mj <= battery.capacity_mj
    assert state_mj == battery.states_mj(found.battery_mj)[-1]
