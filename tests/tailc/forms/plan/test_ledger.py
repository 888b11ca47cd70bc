from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.forms.plan.ledger import MJ_PER_KWH, LedgerEntry, ledger_of

amounts = st.integers(0, 10**13)
entries = st.lists(st.builds(LedgerEntry, amounts, amounts, amounts, amounts), max_size=8)


def test_brown_energy_is_what_green_energy_leaves():
    entry = LedgerEntry(5 * MJ_PER_KWH, 2 * MJ_PER_KWH, 105_500, 200_000)
    assert (entry.green_used_mj, entry.brown_mj) == (2 * MJ_PER_KWH, 3 * MJ_PER_KWH)
    assert (entry.brown_udollars, entry.brown_mg) == (316_500, 600_000)
    assert entry.spilled_mj == 0


def test_green_energy_beyond_the_demand_is_spilled():
    entry = LedgerEntry(2, 5, 1, 1)
    assert (entry.green_used_mj, entry.brown_mj, entry.spilled_mj) == (2, 0, 3)


def test_a_slot_of_brown_energy_costs_what_was_published():
    """A server of 140 W for 15 minutes at 10.55 cents a kWh: 0.36925 cents (section A.5)."""
    entry = LedgerEntry(140_000 * 900, 0, 105_500, 0)
    assert entry.brown_udollars == Fraction(36925, 10)


@given(entries)
def test_energy_and_money_balance_in_every_interval_and_in_the_sum(listed):
    for one in listed:
        assert one.green_used_mj + one.brown_mj == one.demand_mj
        assert one.green_used_mj + one.spilled_mj == one.green_mj
        assert min(one.green_used_mj, one.brown_mj, one.spilled_mj) >= 0
        assert one.brown_mj == 0 or one.spilled_mj == 0
    total = ledger_of(listed)
    assert (
        total.green_used_mj + total.brown_mj
        == total.demand_mj
        == sum(one.demand_mj for one in listed)
    )
    cost = sum(one.brown_mj * one.brown_udollars_per_kwh for one in listed)
    assert total.brown_udollars * MJ_PER_KWH == cost


def test_a_battery_meets_what_green_energy_leaves_and_takes_what_is_left_of_it():
    entry = LedgerEntry(10, 4, 1, 1, discharged_mj=5)
    assert (entry.green_used_mj, entry.brown_mj, entry.stored_mj) == (4, 1, -5)
    entry = LedgerEntry(4, 10, 1, 1, charged_mj=5, lost_mj=2)
    assert (entry.green_used_mj, entry.spilled_mj, entry.stored_mj) == (4, 1, 3)


@pytest.mark.parametrize(
    ("flows", "said"),
    [
        (
            {"discharged_mj": 7},
            "a battery may only charge unused green energy or replace brown energy",
        ),
        (
            {"discharged_mj": -1},
            "a battery may only charge unused green energy or replace brown energy",
        ),
        (
            {"charged_mj": 1},
            "a battery may only charge unused green energy or replace brown energy",
        ),
        ({"charged_mj": -1, "lost_mj": -1}, "`lost_mj` must be 0 to `charged_mj`"),
        ({"lost_mj": 1}, "`lost_mj` must be 0 to `charged_mj`"),
    ],
)
def test_books_that_make_energy_are_refused(flows, said):
    with pytest.raises(ValueError, match=said):
        LedgerEntry(10, 4, 1, 1, **flows)
