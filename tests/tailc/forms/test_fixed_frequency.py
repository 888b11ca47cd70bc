"""A table that asks for one frequency, whatever a core has run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tailc.forms.fixed_frequency import fixed_frequency, fixed_level
from tailc.forms.tail_table import (
    Batch,
    Level,
    QueuedRequests,
    Sleep,
    TailRow,
    TailTable,
    level_for,
)

TABLE = TailTable(
    percentile_ppm=950_000,
    bound_us=2_000,
    levels=tuple(Level(ghz * 100_000, ghz) for ghz in (8, 10, 24, 34)),
    cycles=(TailRow(0, (1_000_000, 2_000_000)), TailRow(500_000, (900_000, 1_900_000))),
    memory_ns=(TailRow(0, (10_000, 20_000)),),
    sleep=Sleep(100, 0),
    cores=2,
)
SECOND_NS = 1_000_000_000


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("ages_s", [(0,), (0.5,), (15, 0), (3, 2)])
@pytest.mark.parametrize("cycles", [0, 600_000, 2**40])
def test_requests_run_at_the_level_whatever_they_have_had(level, ages_s, cycles):
    ages_ns = tuple(int(age * SECOND_NS) for age in ages_s)
    queued = QueuedRequests(ages_ns, cycles, cycles)
    assert level_for(fixed_frequency(TABLE, level), queued) == level


def test_more_requests_than_positions_run_at_the_highest():
    assert level_for(fixed_frequency(TABLE, 1), QueuedRequests((0, 0, 0))) == 3


def test_the_level_of_such_a_table_is_known():
    assert [fixed_level(fixed_frequency(TABLE, level)) for level in range(4)] == [0, 1, 2, 3]
    assert fixed_level(TABLE) is None
    own = replace(fixed_frequency(TABLE, 2), cycles=TABLE.cycles)
    assert fixed_level(own) is None


def test_beside_batch_work_no_level_is_below_its_least():
    table = replace(TABLE, batch=Batch(1_000_000, 2_400_000, 9))
    assert level_for(fixed_frequency(table, 1), QueuedRequests((0,))) == 1
    assert fixed_level(fixed_frequency(table, 1)) == 1
