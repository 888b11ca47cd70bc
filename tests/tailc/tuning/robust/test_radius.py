"""How large errors an SLO stands, against queues whose percentile has a closed form."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.forms.ladder.table import ON_EXIT, Climb, Ladder, Row
from tailc.models.arrivals import Poisson
from tailc.models.ladder_model import LadderModel
from tailc.models.workload import Workload
from tailc.percentiles import PPM
from tailc.progress import silent
from tailc.specs.robust import Ambiguity
from tailc.specs.slo import Slo
from tailc.tuning.robust.radius import Radius, UncertainInput, radius_of
from tailc.tuning.robust.uncertainty_cases import slowed_on
from tailc.tuning.tuning_problem import ladder_subject
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.tuning.core_case import clocked

MEAN_MS, TARGET_MS = 20.0, 200.0
PERCENTILE_PPM = 900_000
SPEED = 1.6
RATES_RPS = (15.0, 25.0)
# The first request runs on one thread, or on both cores; a second waits until it exits.
FIFO = ladder(at_once((0, 0), last=1), Row(2, None, ON_EXIT, (Climb(0, 0),)), cores=1, rungs=1)
ON_BOTH = ladder(at_once((0, 1), last=1), Row(2, None, ON_EXIT, (Climb(0, 1),)), cores=2, rungs=2)


def exponential(requests: int = 4_000, speeds: tuple[float, ...] = (1.0,)) -> Workload:
    """The quantiles of exponential demand, so that the sample is as good as the law."""
    at = (np.arange(requests) + 0.5) / requests
    work_ns = np.rint(-MEAN_MS * 1e6 * np.log1p(-at)).astype(np.int64)
    curve_of = np.zeros(requests, np.int32)
    return Workload(work_ns, np.ones(requests, np.int64), curve_of, np.array([speeds]))


def radius(
    table: Ladder | LadderModel[Any, Any],
    load: Workload,
    told: Ambiguity,
    target_ms: float = TARGET_MS,
    rates_rps: tuple[float, ...] = RATES_RPS,
) -> Radius:
    arrivals = [Poisson(round(rate * 1e3)) for rate in rates_rps]
    slo = Slo(PERCENTILE_PPM, round(target_ms * 1e3))
    with ThreadPoolExecutor(1) as workers:
        subject = table if isinstance(table, LadderModel) else ladder_subject(table)
        slowed = slowed_on(subject.ladder)
        return radius_of(subject, slowed, load, arrivals, slo, told, workers, silent)


def doubted(demand: int = 0, tail: int = 0, speedup: int = 0, tail_from: int = 1) -> Ambiguity:
    return Ambiguity(demand, tail, tail_from, speedup, 0, None, 0)


def longest_mean_ms(rate_rps: float = max(RATES_RPS), target_ms: float = TARGET_MS) -> float:
    """The sojourn time of M/M/1 is exponential with rate mu - lambda; the higher rate decides."""
    return 1e3 / (rate_rps + math.log(1 / (1 - PERCENTILE_PPM / 1e6)) * 1e3 / target_ms)


def test_the_radius_of_a_single_server_queue_is_its_closed_form():
    """At the least percentile the tail is all demand. The limits cost some of the radius."""
    found = radius(FIFO, exponential(), doubted(demand=100_000, tail=100_000))
    wanted = longest_mean_ms() / MEAN_MS - 1
    assert found.holds
    reach = {one.axis: one.ppm / 1e6 for one in found.reaches}
    assert set(reach) == {UncertainInput.DEMAND, UncertainInput.TAIL, UncertainInput.JOINT}
    for axis in (UncertainInput.DEMAND, UncertainInput.TAIL):
        assert wanted - 0.1 <= reach[axis] <= wanted + 0.01
    # both at once: (1 + r)^2
    most = (math.sqrt(1 + wanted) - 1) / 0.1
    assert most - 0.6 <= reach[UncertainInput.JOINT] <= most + 0.1
    assert not any(reach.is_all for reach in found.reaches)


def test_a_slower_rung_is_a_longer_mean():
    """On both cores from the start: a single server of speed 1.6 (1 - r)."""
    load = exponential(speeds=(1.0, SPEED))
    found = radius(ON_BOTH, load, doubted(speedup=100_000), 110.0, (35.0,))
    wanted = 1 - MEAN_MS / longest_mean_ms(35.0, 110.0) / SPEED
    (reach,) = found.reaches
    assert reach.axis is UncertainInput.SPEEDUP
    assert wanted - 0.1 <= reach.ppm / 1e6 <= wanted + 0.01


def test_a_table_that_a_controller_scales_stands_what_it_makes_of_it():
    """At output 0 every request is fast from the start: a single server of speed 2."""
    law = Controller(
        Actuator.CLIMB_AGES, 900_000, 50_000, 50, 50, 0, 0, PPM, 30, (GainRow(0, 0, 0, 0),)
    )
    steered = replace(ladder_subject(clocked(500_000)), steering=law)
    load = exponential(speeds=(1.0, 2.0))
    found = radius(steered, load, doubted(demand=100_000), 60.0, (40.0,))
    wanted = 2.0 * longest_mean_ms(40.0, 60.0) / MEAN_MS - 1
    assert found.holds
    assert wanted - 0.1 <= found.reaches[0].ppm / 1e6 <= wanted + 0.01


def test_a_slower_type_of_cores_is_a_longer_mean():
    """The only core is half as fast as the one that demand was measured on, or less."""
    load, told = exponential(speeds=(0.5, 0.5)), doubted(speedup=100_000)
    found = radius(clocked(0), load, told, 300.0, (10.0,))
    wanted = 1 - MEAN_MS / longest_mean_ms(10.0, 300.0) / 0.5
    assert wanted - 0.1 <= found.reaches[0].ppm / 1e6 <= wanted + 0.01


def test_what_misses_as_measured_stands_nothing():
    found = radius(FIFO, exponential(), doubted(demand=100_000), target_ms=60.0)
    assert not found.holds
    assert [reach.ppm for reach in found.reaches] == [0]


def test_a_radius_ends_where_nothing_more_was_tried():
    """One thread is never faster than speed 1. What is not in doubt has no radius."""
    found = radius(FIFO, exponential(), doubted(speedup=100_000))
    (reach,) = found.reaches
    assert (reach.axis, reach.ppm, reach.is_all) == (UncertainInput.SPEEDUP, 1_000_000, True)


def test_few_records_are_sure_of_less():
    found = radius(FIFO, exponential(200), doubted(demand=100_000))
    assert found.holds
    assert found.reaches[0].ppm / 1e6 < longest_mean_ms() / MEAN_MS - 1 - 0.15
