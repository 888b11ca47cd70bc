"""How the tail follows a rate that changes in steps, by hand."""

import dataclasses

import numpy as np
import pytest

from tailc.experiment.options import VerifyOptions
from tailc.experiment.spikes import (
    Stretch,
    TailMeasurement,
    measure_stretches,
    spikes,
    stretches,
    tail_measurement,
)
from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.models.arrivals import Burst, Bursts, Poisson, RateProfile, RateStep
from tailc.models.core_types.model import CoreTypes
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tailc.specs.slo import Slo
from tailc.verify.judge import verify
from tests.tailc.models.core_types.servers import MS, PPM, cores, row
from tests.tailc.models.core_types.usage_case import alike, policy
from tests.tailc.models.shared_cores.servers import at_once, ladder

BURSTS = Bursts((Burst(4, 10_000), Burst(4, 50_000)))
BY = TailMeasurement(500_000, 20_000, epoch=2, window=4)


def seconds(*rates: int) -> RateProfile:
    return RateProfile(tuple(RateStep(20_000_000, rate * 1000) for rate in rates))


def outcome(
    latency_ms: list[float], gap_ms: float = 1000, arrived: int | None = None
) -> SharedCoresOutcome:
    count = len(latency_ms)
    nothing = np.zeros(count)
    return SharedCoresOutcome(
        arrival_ns=(np.arange(count) * gap_ms * MS).astype(np.int64),
        latency_ns=(np.array(latency_ms) * MS).astype(np.int64),
        wait_ns=nothing.astype(np.int64),
        rung=nothing.astype(np.int32),
        is_cut=nothing.astype(bool),
        is_refused=np.zeros(0, bool),
        thread_ns=nothing,
        arrived=count if arrived is None else arrived,
        measured_from=0,
        integrals=np.zeros((4, 4)),
        capacity_ppm=(PPM,),
        rungs=1,
        rung_ns=np.zeros(1),
        losses=None,
    )


def points(*tails_ms: float) -> Stretch:
    return Stretch(None, np.array([round(ms * 1000) for ms in tails_ms], np.int64))


def spike(*repeats: Stretch, target_us: int = 20_000):
    """Of the second stretch."""
    by = dataclasses.replace(BY, target_us=target_us)
    return spikes(BURSTS, [(points(1), one) for one in repeats], by)[1]


def test_stretches_are_bursts_and_rates_that_differ():
    assert stretches(BURSTS) == ("4@10/s", "4@50/s")
    assert stretches(seconds(10, 10, 50, 10)) == ("10/s", "50/s", "10/s")
    assert stretches(Poisson(1000)) == ()
    assert stretches(seconds(10, 10)) == ()
    # a day in minutes is no spike test
    assert stretches(seconds(*[10, 20] * 13)) == ()


def test_tails_are_measured_once_an_epoch_over_the_window():
    first, second = measure_stretches(BURSTS, outcome([10, 30, 20, 40, 50, 15, 25, 35]), BY)
    # medians of (10, 30), (10, 30, 20, 40); then of (20, 40, 50, 15) and (50, 15, 25, 35)
    assert first.measured_us.tolist() == [10_000, 20_000]
    assert second.measured_us.tolist() == [20_000, 25_000]
    # of the requests that came in each
    assert (first.tail_us, second.tail_us) == (20_000, 25_000)


def test_what_is_measured_counts_where_it_ends():
    # the fourth of the first burst exits after the fifth has come, and ends the second epoch
    first, second = measure_stretches(BURSTS, outcome([10, 10, 10, 1500, 10, 10, 10, 10]), BY)
    assert len(first.measured_us) == 1
    assert len(second.measured_us) == 3


def test_a_server_that_was_given_up_shows_nothing():
    assert measure_stretches(BURSTS, outcome([10] * 8, arrived=6), BY) == ()
    assert spikes(BURSTS, [(), ()], BY) == ()


def test_a_silent_stretch_has_no_tail():
    profile = RateProfile(
        (RateStep(2_000_000, 100_000), RateStep(1_000_000, 0), RateStep(2_000_000, 10_000))
    )
    found = measure_stretches(profile, outcome([10] * 4, gap_ms=100), BY)
    assert [one.tail_us for one in found] == [10_000, None, None]


def test_the_share_over_the_target_is_that_of_all_repeats():
    found = spike(points(25, 20, 15, 15), points(21, 22, 15, 15))
    assert found.window.over_ppm == 375_000


def test_overshoot_is_that_of_the_mean_of_the_repeats():
    # means 23, 21, 15, 15 of a target of 20
    found = spike(points(26, 20, 15, 15), points(20, 22, 15, 15))
    assert found.window.overshoot_ppm == 150_000
    assert spike(points(10, 10, 10, 10)).window.overshoot_ppm == 0


@pytest.mark.parametrize(
    ("tails_ms", "epochs"),
    [
        ([20, 20, 20, 20, 20, 20, 20, 20], 0),
        ([30, 25, 21, 20.5, 20, 20, 20, 20], 2),
        ([30, 20, 30, 20, 20, 20, 20, 20], 3),
        ([10, 15, 20, 25, 30, 35, 40, 45], None),
        ([20, 20, 20], None),
    ],
)
def test_it_has_settled_where_it_stays_within_5_percent_of_its_last_quarter(tails_ms, epochs):
    assert spike(points(*tails_ms)).window.settling_epochs == epochs


def test_measuring_is_the_controller_s_own():
    gains = (GainRow(0, 0, 0, 0),)
    controller = Controller(Actuator.CLIMB_AGES, 990_000, 1, 50, 100, PPM, 0, PPM, 32, gains)
    amp = (cores([1, 1], row((0, 0))),)
    own = tail_measurement(CoreTypes("x", amp, steering=controller), 950_000, 7)
    assert own == TailMeasurement(950_000, 7, 50, 100)
    assert tail_measurement(CoreTypes("x", amp), 950_000, 7) == TailMeasurement(
        950_000, 7, 500, 2000
    )
    assert tail_measurement(SharedCores("x", (ladder(at_once((0, 0))),)), 950_000, 7) is None


def test_a_verdict_on_a_profile_tells_its_stretches():
    profile = RateProfile(tuple(RateStep(30_000_000, rate * 1000) for rate in (10, 200, 10)))
    gains = (GainRow(0, 0, 2**32 // 1_000_000, 0),)
    controller = Controller(Actuator.CLIMB_AGES, 990_000, 80_000, 50, 100, 0, 0, PPM, 32, gains)
    amp = policy(cores([20, 20], row((0, 0), (100, 1))), controller)
    options = VerifyOptions(
        arrivals=(profile,), baselines=("tl",), replicates=49, requests_per_replay=2000
    )
    point = verify(amp, alike(), options).points[0]
    assert [one.stretch for one in point.policy.spikes] == ["10/s", "200/s", "10/s"]
    # it begins at 50 ms, and rises to the target of 80 ms in the first two
    assert 50_000 < point.policy.spikes[0].tail_us < 80_500
    assert point.policy.spikes[1].tail_us == pytest.approx(80_000, rel=0.02)
    # TL is at 50 ms throughout
    tl = point.baselines[0].spikes
    assert [one.tail_us for one in tl] == [50_000] * 3
    assert [one.window.settling_epochs for one in tl][1] == 0
    assert [one.window.over_ppm for one in tl] == [0, 0, 0]


def test_gains_by_rate_overshoot_less_than_one_set_of_gains():
    """The middle gains are slow, so that what comes before and after the spike is over for long."""
    slow, fast = 2**32 // 2_000_000, 2**32 // 400_000
    gains = (GainRow(0, 0, fast, 0), GainRow(25_000, 0, slow, 0), GainRow(50_000, 0, fast, 0))
    controller = Controller(Actuator.CLIMB_AGES, 990_000, 190_000, 100, 400, PPM, 0, PPM, 32, gains)
    demand_ms = np.random.default_rng(3).gamma(2, 40, 2000)
    profile = RateProfile(
        tuple(
            RateStep(seconds * 1_000_000, rate * 1000)
            for rate, seconds in ((10, 200), (65, 120), (10, 200))
        )
    )
    amp = dataclasses.replace(
        policy(cores([4, 2], row((0, 0), (150, 1))), controller), slos=(Slo(990_000, 190_000),)
    )
    options = VerifyOptions(
        arrivals=(profile,), baselines=("one-gain",), replicates=49, requests_per_replay=2000
    )
    point = verify(amp, dataclasses.replace(alike(), demand_ms=demand_ms), options).points[0]
    scheduled, single = point.policy.spikes, point.baselines[0].spikes
    overshoots = zip(scheduled, single, strict=True)
    assert all(a.window.overshoot_ppm < b.window.overshoot_ppm for a, b in overshoots)
    assert scheduled[2].window.over_ppm < 0.8 * single[2].window.over_ppm
    # the mean of the slow one never leaves the band around where it ends: it is over throughout
    assert scheduled[2].window.settling_epochs is not None
