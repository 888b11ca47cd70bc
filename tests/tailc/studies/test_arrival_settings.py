"""Every kind of arrivals beside those that a table was tuned for."""

from dataclasses import replace

import numpy as np
import pytest

from tailc.experiment.tuned_arrivals import pattern_settings
from tailc.experiment.tuning_objective import TuningObjective
from tailc.models import streams
from tailc.models.arrivals import Poisson, RecordedArrivals
from tailc.models.diurnal import DayCurve
from tailc.models.modulated_arrivals import Burstiness, ModulatedArrivals
from tailc.studies.arrival_settings import comparison_arrivals
from tests.tailc.verify.policies import EVIDENCE, policy

PPM = 1_000_000
RATES = (30_000, 40_000)
BURSTS, DAY = Burstiness(8 * PPM, 2 * PPM), DayCurve((PPM, 2 * PPM, PPM))


def beside(pattern, recorded=None):
    aim = TuningObjective(990_000, (40_000,), (1,), 1_000_000, pattern)
    evidence = replace(EVIDENCE, settings=tuple(pattern_settings(aim).items()))
    return comparison_arrivals(replace(policy(), evidence=evidence), RATES, recorded)


def test_usual_bursts_bring_half_as_many_again_at_any_rate():
    """Busy for a fifth of the time: 60/s then, and 35/s else, are (60 + 4 * 35) / 5 = 40/s."""
    slow, fast = beside(None)[2:4]
    assert isinstance(slow, ModulatedArrivals)
    assert isinstance(fast, ModulatedArrivals)
    assert fast.levels_rps == pytest.approx((60, 35))
    assert slow.levels_rps == pytest.approx((45, 26.25), rel=0.002)
    # 50 mean gaps of 25 ms
    assert fast.burstiness.spell_us == 1_250_000


def test_what_a_table_was_tuned_for_is_among_them():
    assert beside(BURSTS)[2:4] == (BURSTS.with_rate(30_000), BURSTS.with_rate(40_000))
    assert beside(DAY)[4:] == (DAY.with_rate(30_000), DAY.with_rate(40_000))
    assert beside(DAY)[:2] == (Poisson(30_000), Poisson(40_000))


def test_bursts_are_those_of_a_recording_with_as_many_requests_in_each():
    """Recorded at 10/s in spells of 4 s, 40 mean gaps: at 40/s they take 1 s."""
    process = ModulatedArrivals(10_000, Burstiness(20 * PPM, 4 * PPM))
    times_ns = process.arrival_ns(streams.stream(4), 60_000)
    recorded = RecordedArrivals(times_ns - times_ns[0], None, "at")
    found = beside(None, recorded)
    assert [one.name for one in found[6:]] == ["recorded `at` at 30/s", "recorded `at` at 40/s"]
    bursty = found[3]
    assert isinstance(bursty, ModulatedArrivals)
    assert bursty.burstiness.idc_ppm / PPM == pytest.approx(20, rel=0.25)
    assert bursty.burstiness.spell_us / PPM == pytest.approx(1, rel=0.25)


def test_too_short_a_recording_leaves_the_usual_bursts():
    recorded = RecordedArrivals(np.arange(50) * 10**8, None, "at")
    assert beside(None, recorded)[:6] == beside(None)
