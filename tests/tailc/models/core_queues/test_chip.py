"""What the cores of a chip do, by hand: batch work, a limit of power, and who gives way to it."""

from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import TailcError
from tailc.forms.tail_table import Sleep
from tailc.models.core_queues.chip import BatchCore, Chip, LimitStep, ProgramCounters
from tailc.models.core_queues.clocks import Clocks, FixedLevel, Hardware, HardwareObjective
from tailc.models.core_queues.model import random_cores
from tests.tailc.models.core_queues.chip_case import batch
from tests.tailc.models.core_queues.servers import GHZ, US, replayed, tail_table

# Nobody is in a hurry; a request at 1, 2 and 3 GHz draws 1, 3 and 6 W.
TABLE = tail_table(
    (0, 0, 0, 0), ghz=(1, 2, 3), power_mw=(1_000, 3_000, 6_000), sleep=Sleep(100, 20 * US), cores=2
)
FAST = FixedLevel(2)


def clocks(*cores: BatchCore | None, limit_mw: int | None = None, rule=FAST) -> Clocks:
    chip = Chip(ProgramCounters(0), cores, shared_mw=1_000, limit_mw=limit_mw)
    return Clocks(replace(TABLE, cores=len(cores)), GHZ, rule, chip)


def batch_us(outcome) -> list[list[float]]:
    """By core and level."""
    return (outcome.chip.batch_ns.sum(axis=0) / US).tolist()


def limited_us(outcome) -> list[float]:
    return (outcome.chip.limited_ns.sum(axis=0) / US).tolist()


def limited_shares(outcome) -> list[float]:
    return outcome.shares_of_time(outcome.chip.limited_ns).tolist()


def test_without_a_limit_cores_do_batch_work_whenever_they_have_no_request():
    outcome = replayed(clocks(batch()), [0, 100 * US], [90 * US, 30 * US])
    # 30 us at 3 GHz, then batch work until the next one comes; it is served at once
    assert outcome.latency_ns.tolist() == [30 * US, 10 * US]
    assert batch_us(outcome) == [[0, 0, 70]]
    assert limited_shares(outcome) == [1, 0, 0, 0]


def test_a_request_waits_for_its_caches_on_a_core_that_did_batch_work():
    at = clocks(batch(taking_over_ns=7 * US))
    outcome = replayed(at, [0, 10 * US, 100 * US], [90 * US, 30 * US, 30 * US])
    # the second finds its core with the first
    assert outcome.wait_ns.tolist() == [7 * US, 27 * US, 7 * US]


def test_a_core_without_batch_work_sleeps():
    outcome = replayed(clocks(None), [0, 100 * US], [90 * US, 30 * US])
    assert outcome.wait_ns.tolist() == [20 * US, 20 * US]
    assert batch_us(outcome) == [[0, 0, 0]]
    # 0.1 W for half of the 100 us in which arrivals were measured
    assert outcome.mean_idle_power == pytest.approx(0.1 * 50 / 100)


def test_power_without_requests_is_that_of_batch_work_and_of_cores_that_stopped():
    # 1 W of the chip and 6 W of the request leave 0.2 W; then one core draws 5 W, the other 0.5 W
    at = clocks(batch(), batch(), limit_mw=7_200)
    outcome = replayed(at, [0, 100 * US], [90 * US, 1])
    assert outcome.mean_idle_power == pytest.approx((30 * 0.1 + 70 * (0.5 + 5)) / 100)


@pytest.mark.parametrize(
    ("limit_mw", "levels", "how_far"),
    [
        # both ask for 5 W, the chip beside them draws 1 W
        (11_000, [2, 2], LimitStep.UNCHANGED),
        (10_999, [2, 1], LimitStep.BATCH_SLOWED),
        (8_000, [2, 1], LimitStep.BATCH_SLOWED),
        (7_999, [2, 0], LimitStep.BATCH_SLOWED),
        # the more memory-bound one is at its lowest before the other is slowed
        (6_499, [1, 0], LimitStep.BATCH_SLOWED),
        (3_000, [0, 0], LimitStep.BATCH_SLOWED),
    ],
)
def test_the_most_memory_bound_batch_work_is_slowed_first(limit_mw, levels, how_far):
    # nobody comes until 100 us
    at = clocks(batch(0.2), batch(0.7), limit_mw=limit_mw)
    outcome = replayed(at, [100 * US], [1])
    wanted = [[100.0 if level == at else 0.0 for at in range(3)] for level in levels]
    assert np.array(batch_us(outcome)).round().tolist() == wanted
    assert limited_us(outcome)[how_far] == pytest.approx(100, abs=0.01)


def test_then_batch_work_stops_and_last_of_all_requests_are_slowed_alike():
    # The chip draws 1 W: two requests run at 2 GHz, one at 3 GHz beside batch work at its lowest.
    at = clocks(batch(), batch(), limit_mw=8_000)
    outcome = replayed(at, [0] * 8, [60 * US] * 8)
    of_core = np.bincount(random_cores(np.zeros(8, np.int64), 2))
    both, one = min(of_core), max(of_core) - min(of_core)
    assert 0 < both < max(of_core)
    far = limited_us(outcome)
    assert far[LimitStep.REQUESTS_SLOWED] == pytest.approx(both * 30)
    assert far[LimitStep.BATCH_SLOWED] == pytest.approx(one * 20)
    assert sorted(outcome.rung.tolist()) == [1] * 2 * both + [2] * one


def test_batch_work_that_stopped_leaves_its_core_to_idle():
    # 1 W of the chip and 6 W of the request leave 0.2 W
    at = clocks(batch(), batch(), limit_mw=7_200)
    outcome = replayed(at, [0], [90 * US])
    assert batch_us(outcome) == [[0, 0, 0], [0, 0, 0]]
    assert limited_us(outcome)[LimitStep.BATCH_STOPPED] == pytest.approx(30)


def test_a_request_that_is_slowed_draws_the_power_of_its_level_and_takes_longer():
    alone = clocks(batch(), limit_mw=4_000)
    outcome = replayed(alone, [0], [90 * US])
    # 3 W at 2 GHz
    assert outcome.latency_ns.tolist() == [45 * US]
    assert outcome.energy.of_request.tolist() == [3 * 45 * US]


def test_a_request_is_slowed_from_when_another_core_has_one_too():
    # two at 3 GHz draw 13 W with the chip, one beside batch work at its lowest 7.5 W
    at = clocks(batch(), batch(), limit_mw=8_000)
    many = replayed(at, [0, *range(10 * US, 10 * US + 30)], [90 * US, *[900 * US] * 30])
    # 10 us at 3 GHz, and 60 us of work at 2 GHz
    assert int(many.latency_ns[0]) == 10 * US + 30 * US


def test_a_limit_that_cores_cannot_be_kept_within_is_refused():
    at = clocks(batch(), batch(), limit_mw=2_999)
    with pytest.raises(TailcError, match="cannot be kept within 2,999 mW"):
        replayed(at, [0], [1])
    assert replayed(clocks(batch(), batch(), limit_mw=3_000), [0], [US]).arrived == 1


def test_no_core_time_is_lost_and_the_chip_stays_within_its_limit():
    rng = np.random.default_rng(5)
    arrivals = np.cumsum(rng.exponential(40 * US, 4_000)).astype(np.int64)
    work = rng.integers(1, 120 * US, 4_000)
    at = clocks(batch(0.1, level=1), None, batch(0.5, level=1), limit_mw=7_700)
    outcome = replayed(at, arrivals, work)
    span = outcome.integrals[:, 0].sum()
    used = outcome.levels.level_ns.sum() + outcome.chip.batch_ns.sum()
    assert used < 3 * span
    assert outcome.chip.limited_ns.sum() == span
    assert all(share > 0 for share in limited_shares(outcome))
    assert 1 + outcome.mean_power + outcome.mean_idle_power < 7.7


def test_hardware_sets_the_clocks_every_so_often_and_not_in_between():
    # Most work by joule: 1 GHz for batch work here, and what requests are given every 50 us.
    at = clocks(batch(), rule=Hardware(HardwareObjective.WORK_PER_JOULE, 50 * US))
    outcome = replayed(at, [60 * US], [100 * US])
    best = int(outcome.rung[0])
    assert (outcome.chip.batch_ns.sum(axis=0) > 0).sum() == 1
    assert best < 2
    limited = clocks(batch(), limit_mw=3_000, rule=Hardware(HardwareObjective.WORK, 50 * US))
    slow = replayed(limited, [60 * US], [100 * US])
    # batch work runs at 2 GHz within the limit; the request that stops it keeps that until 100 us
    assert int(slow.latency_ns[0]) == 40 * US + 20 * US
    assert slow.rung.tolist() == [0]


def test_hardware_is_for_few_cores():
    at = clocks(*[batch()] * 9, rule=Hardware(HardwareObjective.WORK))
    with pytest.raises(TailcError, match="for 8 cores at most, not for 9"):
        replayed(at, [0], [1])
