"""Energy, types and outputs in a verdict, by hand and on a server where all can be worked out."""

import dataclasses

import numpy as np
import pytest

from tailc.errors import TailcError
from tailc.experiment.options import VerifyOptions
from tailc.forms.controller import GainRow
from tailc.models.arrivals import Poisson
from tailc.models.energy import ControlUse
from tailc.models.steering import SETTLING_EPOCHS, settling
from tailc.specs.slo import Slo
from tailc.verify.judge import verify
from tailc.verify.verdict import Verdicts
from tests.tailc.models.core_types.servers import PPM, cores, row
from tests.tailc.models.core_types.usage_case import STILL, alike, policy
from tests.tailc.verify.policies import climbing, held_out
from tests.tailc.verify.policies import policy as thread_policy

AMP = cores([20, 20], row((0, 0), (50, 1)), idle=0.1)


def judged(*forms, **options) -> Verdicts:
    options = {"baselines": ("tl", "ee"), "replicates": 49, "requests_per_replay": 2000, **options}
    return verify(policy(*forms), alike(), VerifyOptions(**options))


def test_a_verdict_tells_the_energy_of_requests_that_never_meet():
    point = judged(AMP).points[0]
    found = point.policy.usage.energy
    # 50 ms at power 1 and 25 ms at power 6
    assert (found.request_us, found.interval_us) == (200_000, (200_000, 200_000))
    tl, ee = (one.usage.energy.request_us for one in point.baselines)
    assert (tl, ee) == (300_000, 100_000)


def test_types_are_as_busy_as_little_s_law_says():
    types = judged(AMP).points[0].policy.usage.energy.types
    # 20 a second for 50 ms on 20 cores, and for 25 ms; arrivals are random
    assert [one.name for one in types] == ["type1", "type2"]
    assert types[0].utilization_ppm == pytest.approx(50_000, rel=0.02)
    assert types[1].utilization_ppm == pytest.approx(25_000, rel=0.02)


def test_idle_energy_is_the_power_of_free_cores_by_request():
    # 40 cores less 1.5 busy ones draw 3.85 between two requests, 50 ms apart
    idle_us = judged(AMP).points[0].policy.usage.energy.idle_us
    assert idle_us == pytest.approx(3.85 * 50_000, rel=0.02)


def test_energy_is_relative_to_tl_free_cores_included():
    point = judged(cores([20, 20], row((0, 0), (50, 1))), other_power_ppm=330_000).points[0]
    assert point.reference == "TL"
    assert point.policy.usage.energy.ratio.cores_ppm == round(PPM * 200 / 300)
    assert point.policy.usage.energy.ratio.server_ppm == pytest.approx(
        PPM * (0.67 * 2 / 3 + 0.33), abs=1
    )
    assert point.baselines[0].usage.energy.ratio.cores_ppm == PPM


def test_a_controller_that_stands_still_scales_the_ages():
    found = judged(AMP, STILL).points[0]
    assert found.policy.usage.control == ControlUse(PPM // 2, PPM // 2, PPM // 2)
    # it climbs at 25 ms
    assert found.policy.usage.energy.request_us == 25_000 + 37_500 * 6
    assert found.baselines[0].usage.control is None


def test_what_a_controller_settles_in_is_not_measured_and_comes_before():
    verdicts = judged(AMP, STILL)
    assert verdicts.settling_requests == settling(STILL) == 200 + SETTLING_EPOCHS * 100
    assert judged(AMP).settling_requests == settling(None) == 0


def test_a_controller_that_begins_far_off_has_settled_when_it_is_measured():
    """It ends at the threshold of the closed form: t + (100 - t) / 2 = 80 ms, so 60 % of 100."""
    integral = GainRow(0, 0, 2**32 // 200_000, 0)
    slow = dataclasses.replace(STILL, first_ppm=0, gains=(integral,))
    policy = cores([20, 20], row((0, 0), (100, 1)))
    found = judged(policy, slow, baselines=()).points[0].policy
    assert found.usage.control.mean_ppm == pytest.approx(600_000, rel=0.02)
    assert found.estimates[0].estimate_us == pytest.approx(80_000, rel=0.02)


def test_policies_on_cores_are_judged_the_same_on_any_number_of_threads():
    one, two = (judged(AMP, STILL, threads=threads) for threads in (1, 2))
    assert one == two


def test_rates_may_be_chosen():
    points = judged(AMP, arrivals=(Poisson(1000), Poisson(2000)), baselines=()).points
    assert [point.reference for point in points] == [None, None]
    assert all(point.policy.usage.energy.ratio is None for point in points)


def test_a_trace_of_other_types_is_refused():
    three = dataclasses.replace(alike(), curves=np.array([[1.0, 1.5, 2.0]]))
    with pytest.raises(TailcError, match=r"speeds on `3` types of core, but .* on `2`"):
        verify(policy(AMP), three, VerifyOptions())


def test_a_trace_may_have_speeds_of_its_own():
    own = dataclasses.replace(alike(), curves=np.array([[1.0, 1.25]]))
    found = verify(policy(AMP), own, VerifyOptions(baselines=(), replicates=49)).points[0]
    # 50 ms slow, then 50 ms of work at 1.25
    assert found.policy.estimates[0].estimate_us == 90_000


def test_baselines_of_threads_are_refused():
    with pytest.raises(TailcError, match="`seq` where rungs are cores"):
        judged(AMP, baselines=("seq",))


@pytest.mark.parametrize("share_ppm", [-1, PPM])
def test_other_power_is_less_than_all_of_it(share_ppm):
    with pytest.raises(TailcError, match="other power"):
        VerifyOptions(other_power_ppm=share_ppm)


def test_other_power_beside_threads_is_refused():
    threads = thread_policy(Slo(990_000, 80_000), form=climbing())
    with pytest.raises(TailcError, match="adds to the power of cores"):
        verify(threads, held_out(), VerifyOptions(other_power_ppm=330_000))
