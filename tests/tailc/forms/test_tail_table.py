"""The tail-table form: what it refuses, and the level that a core runs at."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.forms.controller import LARGEST_OUTPUT_PPM, Actuator
from tailc.forms.tail_table import (
    LARGEST_BOUND_US,
    LARGEST_CYCLES,
    LARGEST_FREQUENCY_KHZ,
    Batch,
    Level,
    QueuedRequests,
    Sleep,
    TailRow,
    TailTable,
    internal_bound_ns,
    least_level,
    level_for,
    row_at,
)
from tests.tailc.forms.random_forms import random_tail_table

SEEDS = st.integers(0, 2**32)
PPM = 1_000_000
US = 1_000
# 1, 2 and 3 GHz; 100 us bound; 50 and 90 k cycles and 10 and 15 us for one request and two.
TABLE = TailTable(
    percentile_ppm=950_000,
    bound_us=100,
    levels=(Level(1_000_000, 1_000), Level(2_000_000, 3_000), Level(3_000_000, 7_000)),
    cycles=(TailRow(0, (50_000, 90_000)), TailRow(20_000, (35_000, 75_000))),
    memory_ns=(TailRow(0, (10 * US, 15 * US)),),
    sleep=Sleep(100, 5_000),
    cores=2,
)


def test_the_slowest_frequency_that_is_in_time_is_chosen() -> None:
    """50,000 cycles in 100 - 10 - t us: 1 GHz up to t = 40 us, 2 GHz up to 65, 3 GHz beyond."""
    ages_us = (0, 40, 41, 65, 66)
    assert [level_for(TABLE, QueuedRequests((age * US,))) for age in ages_us] == [0, 0, 1, 1, 2]


def test_a_nanosecond_decides() -> None:
    assert [level_for(TABLE, QueuedRequests((40 * US + ns,))) for ns in (-1, 0, 1)] == [0, 0, 1]


def test_the_request_that_is_worst_off_decides() -> None:
    """The second has 90,000 cycles in 85 us less its age."""
    assert level_for(TABLE, QueuedRequests((0, 0))) == 1
    assert level_for(TABLE, QueuedRequests((45 * US, 0))) == 1
    assert level_for(TABLE, QueuedRequests((0, 41 * US))) == 2


def test_what_the_running_request_has_had_chooses_the_row() -> None:
    late = (50 * US,)
    assert [level_for(TABLE, QueuedRequests(late, cycles)) for cycles in (0, 19_999, 20_000)] == [
        1,
        1,
        0,
    ]


@pytest.mark.parametrize("age_us", [90, 91, 10**6])
def test_where_no_time_is_left_the_highest_frequency_is_chosen(age_us: int) -> None:
    assert level_for(TABLE, QueuedRequests((age_us * US,))) == 2


def test_no_time_left_counts_even_where_no_cycles_are() -> None:
    done = replace(TABLE, cycles=(TailRow(0, (0, 0)),))
    assert [level_for(done, QueuedRequests((age * US,))) for age in (89, 90)] == [0, 2]


def test_more_requests_than_positions_run_at_the_highest_frequency() -> None:
    assert [level_for(TABLE, QueuedRequests((0,) * count)) for count in (1, 2, 3)] == [0, 1, 2]


def test_the_bound_is_scaled_and_rounded_down() -> None:
    assert [internal_bound_ns(TABLE, ppm) for ppm in (PPM, 1, 9, 10, 2 * PPM)] == [
        100_000, 0, 0, 1, 200_000,
    ]  # fmt: skip
    assert [level_for(TABLE, QueuedRequests((40 * US,)), ppm) for ppm in (2 * PPM, PPM - 10)] == [
        0,
        1,
    ]


def test_beside_batch_work_the_level_is_no_lower_than_asked() -> None:
    batched = replace(TABLE, batch=Batch(2_000_000, 1_000_000, 900))
    assert least_level(batched) == level_for(batched, QueuedRequests((0,))) == 1
    assert least_level(TABLE) == 0


def test_a_row_holds_from_its_start_to_the_next_s() -> None:
    assert [row_at(TABLE.cycles, cycles).left[0] for cycles in (0, 19_999, 20_000, 2**53)] == [
        50_000, 50_000, 35_000, 35_000,
    ]  # fmt: skip


def wanted_level(table: TailTable, queued: QueuedRequests, scale_ppm: int) -> int:
    """By seconds and hertz, as the formula is printed; from the highest level down."""
    second = Fraction(1, 10**9)
    bound = table.bound_us * 1_000 * scale_ppm // PPM * second
    cycles = [row for row in table.cycles if row.from_elapsed <= queued.elapsed_cycles][-1]
    memory = [row for row in table.memory_ns if row.from_elapsed <= queued.elapsed_memory_ns][-1]
    top = len(table.levels) - 1
    if len(queued.ages_ns) > len(cycles.left):
        return top
    slack = [
        bound - (age + m) * second for age, m in zip(queued.ages_ns, memory.left, strict=False)
    ]
    if min(slack) <= 0:
        return top
    needed = max(c / left for c, left in zip(cycles.left, slack, strict=False))
    level = top
    while level and table.levels[level - 1].frequency_khz * 1_000 >= needed:
        level -= 1
    least = 0 if table.batch is None else table.batch.least_khz
    return max(level, [one.frequency_khz >= least for one in table.levels].index(True))


def any_queue(rng: Random, table: TailTable) -> QueuedRequests:
    most = 2 * table.bound_us * US + 2
    count = rng.randint(1, table.positions + 1)
    had = (rng.randrange(2 ** rng.randint(1, 54)) for _ in range(2))
    return QueuedRequests(tuple(rng.randrange(most) for _ in range(count)), *had)


@given(SEEDS)
def test_levels_are_those_of_the_printed_formula(seed: int) -> None:
    rng = Random(seed)
    table = random_tail_table(rng)
    for _ in range(20):
        queued, scale_ppm = any_queue(rng, table), rng.randint(0, 2 * PPM)
        assert level_for(table, queued, scale_ppm) == wanted_level(table, queued, scale_ppm)


@given(SEEDS)
def test_older_or_more_requests_and_smaller_bounds_never_run_slower(seed: int) -> None:
    rng = Random(seed)
    table = random_tail_table(rng)
    queued = any_queue(rng, table)
    scale_ppm = rng.randint(0, 2 * PPM)
    level = level_for(table, queued, scale_ppm)
    older = replace(queued, ages_ns=tuple(age + rng.randrange(99) for age in queued.ages_ns))
    longer = replace(queued, ages_ns=(*queued.ages_ns, 0))
    assert level_for(table, older, scale_ppm) >= level
    assert level_for(table, longer, scale_ppm) >= level
    assert level_for(table, queued, rng.randint(0, scale_ppm)) >= level


def test_no_product_of_a_look_up_leaves_64_bits() -> None:
    most_ppm = LARGEST_OUTPUT_PPM[Actuator.LATENCY_BOUND]
    longest = replace(TABLE, bound_us=LARGEST_BOUND_US)
    assert LARGEST_CYCLES * 1_000_000 < 2**63 < 2 * LARGEST_CYCLES * 1_000_000
    assert LARGEST_FREQUENCY_KHZ * internal_bound_ns(longest, most_ppm) < 2**63
    assert LARGEST_BOUND_US * most_ppm < 2**63


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"percentile_ppm": 0}, "`percentile_ppm` must be 1 to 999,999"),
        ({"percentile_ppm": PPM}, "`percentile_ppm` must be 1 to 999,999"),
        ({"bound_us": 0}, "`bound_us` must be 1 to 2"),
        ({"bound_us": LARGEST_BOUND_US + 1}, "`bound_us` must be 1 to 2"),
        ({"cores": 0}, "`cores` must be at least 1"),
        ({"levels": ()}, "`levels` must not be empty"),
        ({"levels": TABLE.levels[::-1]}, "`frequency_khz` must increase from level to level"),
        ({"levels": (TABLE.levels[0],) * 2}, "`frequency_khz` must increase from level to level"),
        ({"cycles": ()}, "`cycles` and `memory_ns` must not be empty"),
        ({"cycles": TABLE.cycles[1:]}, "`from_elapsed` of the first row must be 0"),
        ({"cycles": (TABLE.cycles[0],) * 2}, "`from_elapsed` must increase from row to row"),
        (
            {"cycles": (*TABLE.cycles, TailRow(30_000, (1,)))},
            "all rows must have the same number of positions",
        ),
        (
            {"cycles": (TailRow(0, (1,)),)},
            "rows of `cycles` and `memory_ns` must have the same number of positions",
        ),
        ({"cycles": (TailRow(0, (1, LARGEST_CYCLES + 1)),)}, "`left` of a row must be at most 2"),
        ({"memory_ns": (TailRow(0, (1, 2**53)),)}, "`left` of a row must be at most 2"),
        (
            {"batch": Batch(2_000_000, 2_500_000, 1)},
            "`least_khz` and `frequency_khz` of `batch` must be frequencies of `levels`",
        ),
        (
            {"batch": Batch(500_000, 1_000_000, 1)},
            "`least_khz` and `frequency_khz` of `batch` must be frequencies of `levels`",
        ),
        ({"reference_khz": 0}, "`reference_khz` must be 1 to 2"),
        ({"reference_khz": LARGEST_FREQUENCY_KHZ + 1}, "`reference_khz` must be 1 to 2"),
    ],
)
def test_a_table_that_contradicts_itself_cannot_exist(changes, complaint) -> None:
    with pytest.raises(ValueError, match=complaint):
        replace(TABLE, **changes)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Level(0, 1), "`frequency_khz` must be 1 to 2"),
        (lambda: Level(LARGEST_FREQUENCY_KHZ + 1, 1), "`frequency_khz` must be 1 to 2"),
        (lambda: Level(1, -1), "must not be negative"),
        (lambda: TailRow(-1, (1,)), "must not be negative"),
        (lambda: TailRow(0, ()), "`left` of a row must not be empty"),
        (lambda: TailRow(0, (-1, 1)), "`left` of a row must not be negative"),
        (lambda: TailRow(0, (2, 1)), "`left` of a row must not decrease with the position"),
        (lambda: Sleep(-1, 0), "must not be negative"),
        (lambda: Sleep(0, -1), "must not be negative"),
        (lambda: Batch(1, 1, -1), "must not be negative"),
        (
            lambda: QueuedRequests(()),
            "`ages_ns` must not be empty: a core without requests has no level",
        ),
        (lambda: QueuedRequests((-1,)), "must not be negative"),
        (lambda: QueuedRequests((0,), -1), "must not be negative"),
        (lambda: QueuedRequests((0,), 0, -1), "must not be negative"),
    ],
)
def test_a_part_that_contradicts_itself_cannot_exist(make, complaint) -> None:
    with pytest.raises(ValueError, match=complaint):
        make()
