"""Spectra and occupancy: beside the verdicts, and as counted by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tailc.experiment.options import VerifyOptions
from tailc.experiment.spectrum import spectrum_tails
from tailc.forms.ladder.table import LoadAxis
from tailc.models.occupancy import AGES, occupancy, occupancy_counts
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tailc.specs.slo import Slo
from tailc.verify.judge import verify
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.verify.policies import climbing, held_out, policy

P95 = Slo(950_000, 100_000)
QUICK = VerifyOptions(requests_per_replay=1000, replicates=50, repeats=4, baselines=("seq",))


@pytest.fixture(scope="module")
def pictured():
    return verify(policy(P95), held_out(), dataclasses.replace(QUICK, pictured=True))


def without_pictures(run):
    return dataclasses.replace(run, spectrum=(), occupancy=())


def test_pictures_leave_the_verdicts_as_they_are(pictured):
    plain = verify(policy(P95), held_out(), QUICK)
    for drawn, bare in zip(pictured.points, plain.points, strict=True):
        assert without_pictures(drawn.policy) == bare.policy
        assert tuple(map(without_pictures, drawn.baselines)) == bare.baselines


def test_the_spectrum_ascends_and_has_the_promised_percentile_as_judged(pictured):
    (point,) = pictured.points
    told = point.policy.spectrum
    estimates = [one.estimate_us for one in told]
    assert estimates == sorted(estimates)
    assert all(one.low_us <= one.estimate_us for one in told)
    promised = next(one for one in told if one.percentile_ppm == 950_000)
    said = point.policy.estimates[0]
    assert (promised.estimate_us, promised.high_us) == (said.estimate_us, said.high_us)
    assert told[-1].high_us is None
    assert all(one.low_us is None for one in point.baselines[0].spectrum)


def test_percentiles_beyond_one_request_are_not_asked_for():
    assert max(tail.percentile_ppm for tail in spectrum_tails((), 100)) == 990_000
    assert 999_999 in [tail.percentile_ppm for tail in spectrum_tails((999_999,), 100)]


def outcome(arrivals_ms, starts_ms, ends_ms):
    arrival, start, end = (np.array(ms, np.int64) * 1_000_000
                           for ms in (arrivals_ms, starts_ms, ends_ms))  # fmt: skip
    count = len(arrival)
    nothing = np.zeros(count, np.int32)
    return SharedCoresOutcome(
        arrival_ns=arrival,
        latency_ns=end - arrival,
        wait_ns=start - arrival,
        rung=nothing,
        is_cut=nothing.astype(bool),
        is_refused=np.zeros(0, bool),
        thread_ns=nothing.astype(float),
        arrived=count,
        measured_from=0,
        integrals=np.zeros((3, 4)),
        capacity_ppm=(),
        rungs=2,
        rung_ns=np.zeros(2),
        losses=None,
    )


def test_time_is_counted_by_load_and_age(monkeypatch):
    monkeypatch.setattr("tailc.models.occupancy._EVERY", 1)
    # Ages up to 30 ms in steps of 0.5 ms. The first runs alone for 10 ms, and for 20 ms more beside
    # the other; that one waits 5 ms, runs for 15 ms beside the first, and for 10 ms more alone.
    form = ladder(at_once((0, 0), (20, 1)), rungs=2)
    counts = occupancy_counts(form, outcome([0, 10], [0, 15], [30, 40]))
    found = occupancy(form, [counts])
    assert found is not None
    assert found.step_us == 500
    share = np.array(found.share_ppm)
    assert share.shape == (3, AGES)
    cell = 1_000_000 // 110  # 55 ms of both, in halves
    assert (share[1, :20] == cell).all()
    assert (share[1, 30:50] == cell).all()
    assert (share[1, 50:] == 0).all()
    both = 1_000_000 * 2 // 110
    assert (share[2, 20:30] == both).all()
    assert (share[2, :20] == cell).all()
    assert (share[2, 30:] == cell).all()


def test_a_rate_has_no_traffic_by_load():
    form = dataclasses.replace(climbing(), load_axis=LoadAxis.RATE)
    assert occupancy_counts(form, outcome([0], [0], [1])) is None
