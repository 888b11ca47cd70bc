from dataclasses import replace

import pytest

from tailc.forms.plan.plan import Plan, PoolPrices
from tailc.models.datacentre.aligned_epochs import epoch_of
from tests.tailc.verify.plan.rigid_case import plan

DAY_S = 86_400


def of_hours(hours: int) -> Plan:
    """Epochs of an hour; the plan begins at 6:00 of the first day."""
    one = plan()
    prices = tuple(PoolPrices((0,) * hours) for _ in one.pools)
    epochs = (one.epochs[0],) * hours
    return replace(one, start_unix_s=6 * 3_600, epoch_s=3_600, epochs=epochs, prices=prices)


@pytest.mark.parametrize(
    ("hours", "start_hour", "epoch", "expected"),
    [
        (24, 6 + 24, 5, 5),
        (24, 6 + 48, 23, 23),
        # At 8:00 of another day; at 6:00 of the day after that the plan begins anew.
        (24, 8 + 72, 0, 2),
        (24, 8 + 72, 22, 0),
        (24, 3, 0, 21),
        # A day and a half: beyond it, the last 24 h at the same time of day.
        (36, 6 + 48, 35, 35),
        (36, 8 + 48, 34, 12),
        # Four hours only: it begins anew when it ends.
        (4, 6 + 24, 5, 1),
    ],
)
def test_epochs_are_those_at_the_same_time_of_day(hours, start_hour, epoch, expected):
    assert epoch_of(of_hours(hours), start_hour * 3_600)(epoch) == expected


@pytest.mark.parametrize("hours", [1, 4, 24, 36, 50])
def test_every_epoch_is_one_of_the_plan(hours):
    for start_hour in range(0, 60, 7):
        at = epoch_of(of_hours(hours), start_hour * 3_600)
        assert {at(epoch) in range(hours) for epoch in range(3 * hours)} == {True}
