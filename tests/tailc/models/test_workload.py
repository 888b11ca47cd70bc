import dataclasses
import random
from fractions import Fraction

import numpy as np
import pytest

from tailc.forms.ladder.table import CostUnit, Ladder, Rung
from tailc.forms.ladder.units import degrees
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import workload
from tailc.traces.profile import DemandProfile, Measure
from tests.reference.replay_plain import Request, replay_plain
from tests.tailc.models.shared_cores.servers import MS, PPM, at_once, ladder

# Two classes, each with its own speed at degrees 1, 2 and 3.
CURVES = np.array([[1, 1.9, 2.6], [1, 1.2, 1.3]])


def profile(demand_ms, curve_of, weight=None) -> DemandProfile:
    return DemandProfile(
        np.array(demand_ms, float),
        np.ones(len(demand_ms), np.int64) if weight is None else np.array(weight),
        CURVES,
        np.array(curve_of, np.int32),
        ("a", "b"),
        Measure.DEMAND_BUSY,
        "core",
    )


def on_threads(*threads: int) -> Ladder:
    """Rungs of so many threads, whose own speeds are none of the curves'."""
    rungs = tuple(Rung(f"d{n}", (7 + n) * PPM, (n * PPM,)) for n in threads)
    return dataclasses.replace(ladder(at_once((0, 0), (10, len(rungs) - 1)), cores=4), rungs=rungs)


def on_core_types(speed_of_big_ppm: int) -> Ladder:
    """A little core, and from 10 ms a big one; four and two of them."""
    units = (CostUnit("little", 4 * PPM), CostUnit("big", 2 * PPM))
    rungs = (Rung("little", PPM, (PPM, 0)), Rung("big", speed_of_big_ppm, (0, PPM)))
    climbing = ladder(at_once((0, 0), (10, 1)), rungs=2)
    return dataclasses.replace(climbing, cost_units=units, rungs=rungs)


def test_work_is_whole_nanoseconds_and_a_rung_of_d_threads_runs_at_the_speed_of_degree_d():
    load = workload(profile([1.5, 1e-9], [1, 0], [2, 5]), on_threads(1, 2))
    assert load.work_ns.tolist() == [1_500_000, 1]
    assert load.speed[load.curve_of].tolist() == [[1, 1.2], [1, 1.9]]
    assert load.requests == 7


def test_a_ladder_that_skips_a_degree_has_the_speeds_of_those_it_takes():
    skips = on_threads(1, 3)
    load = workload(profile([26, 26], [0, 1]), skips)
    assert degrees(skips) == (1, 3)
    assert load.speed.tolist() == [[1, 2.6], [1, 1.3]]
    # by hand: 10 ms at 1, then 16 ms of work at 2.6
    far = np.array([0, 1000 * MS])
    outcome = SharedCores("x", (skips,)).engine(1, 9).replay(load, np.arange(2), far, 0)
    assert outcome.latency_ns.tolist() == [
        round((10 + 16 / 2.6) * MS + 0.5),
        round((10 + 16 / 1.3) * MS + 0.5),
    ]


@pytest.mark.parametrize("speed_of_big_ppm", [3, 30, 1_700_000, 30 * PPM])
def test_rungs_of_other_units_have_their_own_speed(speed_of_big_ppm):
    policy = on_core_types(speed_of_big_ppm)
    assert degrees(policy) is None
    assert (
        workload(profile([1, 2], [0, 1]), policy).speed.tolist()
        == [[1, speed_of_big_ppm / PPM]] * 2
    )


def test_parts_of_a_thread_are_no_degree():
    halved = dataclasses.replace(
        ladder(at_once((0, 0)), rungs=1), rungs=(Rung("half", PPM // 2, (PPM // 2,)),)
    )
    assert degrees(halved) is None
    assert workload(profile([1], [0]), halved).speed.tolist() == [[0.5]] * 2


@pytest.mark.parametrize("speed_of_big_ppm", [300_000, 3 * PPM])
def test_two_core_types_replay_as_the_plain_replay_does_at_the_speeds_of_the_rungs(
    speed_of_big_ppm,
):
    rng, count = random.Random(speed_of_big_ppm), 40
    policy = on_core_types(speed_of_big_ppm)
    work_ms = [rng.randint(1, 60) for _ in range(count)]
    arrival_ns = np.cumsum([rng.randint(0, 12 * MS) for _ in range(count)])
    load = workload(profile(work_ms, [rng.randrange(2) for _ in work_ms]), policy)
    engine = SharedCores("x", (policy,)).engine(1, 99)
    fast = engine.replay(load, np.arange(count), arrival_ns, 0)
    speed = [Fraction(rung.speed_ppm, PPM) for rung in policy.rungs]
    requests = [
        Request(number, at, work * MS, speed)
        for number, (at, work) in enumerate(zip(arrival_ns.tolist(), work_ms, strict=True))
    ]
    slow = replay_plain([policy], requests)
    assert np.abs(fast.latency_ns - [r.exit_ns - r.arrival_ns for r in slow]).max() <= 3
    assert fast.rung.tolist() == [r.rung for r in slow]


def test_work_is_ranked_by_request():
    load = workload(profile([3, 1, 2], [0, 0, 0], [1, 4, 2]), on_threads(1, 2))
    assert [load.work_at(rank) // MS for rank in range(1, 8)] == [1, 1, 1, 1, 2, 2, 3]


def test_the_order_of_work_is_found_once(monkeypatch):
    load = workload(profile([3, 1, 2], [0, 0, 0]), on_threads(1, 2))
    sorts, argsort = [], np.argsort
    monkeypatch.setattr(np, "argsort", lambda *a, **k: sorts.append(1) or argsort(*a, **k))
    assert [load.work_at(rank) for rank in (1, 2, 3)] == [MS, 2 * MS, 3 * MS]
    assert len(sorts) == 1
