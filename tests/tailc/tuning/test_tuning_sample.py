"""Samples of tables: what is replayed of each."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from tailc.forms.ladder.table import Climb, Ladder
from tailc.models.arrivals import Poisson
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload
from tailc.tuning.operating_point import OperatingPoint
from tailc.tuning.tuning_sample import tuning_sample
from tests.tailc.tuning.case import CORES, MS, ladder

NEVER = ladder((900 * MS, 950 * MS))
AT_ONCE = replace(NEVER, rows=(replace(NEVER.rows[0], climbs=(Climb(0, 2),)),))
RECORDS = 100


def tail_us(share: float) -> int:
    """The 95th percentile where so many requests of 30 ms climb the second ladder, and few come."""
    ladder_of = (np.arange(RECORDS) < share * RECORDS).astype(np.int32)

    def subject_of(tables: tuple[Ladder, ...]) -> SharedCores:
        return SharedCores("two", tables, ladder_of)

    ones, curve = np.ones(RECORDS, np.int64), np.zeros(RECORDS, np.int32)
    load = Workload(30_000_000 * ones, ones, curve, np.array([[1.0, 1.8, 2.4]]))
    with ThreadPoolExecutor(1) as workers:
        trials = tuning_sample(
            [OperatingPoint(load, Poisson(100))],
            950_000,
            CORES,
            requests=5_000,
            repeats=1,
            seed=5,
            workers=workers,
            subject_of=subject_of,
        )
        return int(trials.tails_us([(NEVER, AT_ONCE)])[0, 0, 0])


@pytest.mark.parametrize(
    ("share", "expected_us"), [(0.0, 30 * MS), (0.9, 30 * MS), (0.97, 12_500), (1.0, 12_500)]
)
def test_each_request_climbs_its_own_ladder(share, expected_us):
    """30 ms at once on three threads, 2.4 times as fast as on one, take 12.5 ms."""
    assert tail_us(share) == expected_us


def test_a_table_that_was_measured_is_not_replayed_again():
    replayed = []

    def subject_of(table: Ladder) -> SharedCores:
        replayed.append(table)
        return SharedCores("one", (table,))

    ones, curve = np.ones(RECORDS, np.int64), np.zeros(RECORDS, np.int32)
    load = Workload(30_000_000 * ones, ones, curve, np.array([[1.0, 1.8, 2.4]]))
    with ThreadPoolExecutor(1) as workers:
        trials = tuning_sample(
            [OperatingPoint(load, Poisson(100)), OperatingPoint(load, Poisson(200))],
            950_000,
            CORES,
            requests=200,
            repeats=2,
            seed=5,
            workers=workers,
            subject_of=subject_of,
        )
        first = trials.tails_us([NEVER, AT_ONCE, NEVER])
        again = trials.tails_us([AT_ONCE, NEVER])
    assert replayed == [NEVER, AT_ONCE]
    assert first.shape == (3, 2, 2)
    assert (first[0] == first[2]).all()
    assert (again == first[[1, 0]]).all()
