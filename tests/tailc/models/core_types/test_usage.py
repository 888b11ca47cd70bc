"""Energy, types and outputs in a verdict, by hand and on a server where all can be worked out."""

import dataclasses
import math

import numpy as np
import pytest

from tailc.artifact.envelope import Policy
from tailc.errors import TailcError
from tailc.experiment.comparison import Run
from tailc.experiment.energy_reference import reference, with_ratio
from tailc.experiment.options import VerifyOptions
from tailc.experiment.setting import BOUND_SETTLING_EPOCHS, SETTLING_EPOCHS, settling
from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.models.arrivals import Poisson
from tailc.models.core_types.usage import (
    ControlUse,
    CoreTimes,
    CoreUse,
    TypeUse,
    control_use,
    core_use,
)
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile, Measure
from tailc.verify.judge import verify
from tailc.verify.verdict import Verdicts
from tests.tailc.models.core_types.servers import PPM, cores, row
from tests.tailc.report.verdicts_made import LOAD
from tests.tailc.verify.policies import EVIDENCE, READING, climbing, held_out
from tests.tailc.verify.policies import policy as thread_policy

AMP = cores([20, 20], row((0, 0), (50, 1)), idle=0.1)
STILL = Controller(
    Actuator.CLIMB_AGES, 990_000, 80_000, 100, 200, PPM // 2, 0, PPM, 32, (GainRow(0, 0, 0, 0),)
)


def policy(*forms) -> Policy:
    slos = (Slo(990_000, 80_000),)
    return Policy("amp", "slow-to-fast", 1, slos, (20_000,), forms, (), READING, EVIDENCE)


def alike(work_ms: float = 100, requests: int = 2000) -> DemandProfile:
    return DemandProfile(
        np.full(requests, work_ms),
        np.ones(requests, np.int64),
        np.ones((1, 1)),
        np.zeros(requests, np.int32),
        (),
        Measure.DEMAND_BUSY,
        "core",
    )


def judged(*forms, **options) -> Verdicts:
    options = {"baselines": ("tl", "ee"), "replicates": 49, "requests_per_replay": 2000, **options}
    return verify(policy(*forms), alike(), VerifyOptions(**options))


def use(request_us: int, idle_us: int = 0) -> CoreUse:
    return CoreUse(request_us, None, None, idle_us, ())


def run(name: str, cores: CoreUse | None, *, overloaded: bool = False) -> Run:
    load = dataclasses.replace(LOAD, is_overloaded=overloaded)
    return Run(name, "", load, (), cores=cores)


def test_a_verdict_tells_the_energy_of_requests_that_never_meet():
    point = judged(AMP).points[0]
    found = point.policy.cores
    # 50 ms at power 1 and 25 ms at power 6
    assert (found.request_us, found.low_us, found.high_us) == (200_000, 200_000, 200_000)
    tl, ee = (one.cores.request_us for one in point.baselines)
    assert (tl, ee) == (300_000, 100_000)


def test_types_are_as_busy_as_little_s_law_says():
    types = judged(AMP).points[0].policy.cores.types
    # 20 a second for 50 ms on 20 cores, and for 25 ms; arrivals are random
    assert [one.name for one in types] == ["type1", "type2"]
    assert types[0].utilization_ppm == pytest.approx(50_000, rel=0.02)
    assert types[1].utilization_ppm == pytest.approx(25_000, rel=0.02)


def test_idle_energy_is_the_power_of_free_cores_by_request():
    # 40 cores less 1.5 busy ones draw 3.85 between two requests, 50 ms apart
    idle_us = judged(AMP).points[0].policy.cores.idle_us
    assert idle_us == pytest.approx(3.85 * 50_000, rel=0.02)


def test_energy_is_relative_to_tl_free_cores_included():
    point = judged(cores([20, 20], row((0, 0), (50, 1))), other_power_ppm=330_000).points[0]
    assert point.reference == "TL"
    assert point.policy.cores.relative_ppm == round(PPM * 200 / 300)
    assert point.policy.cores.whole_ppm == pytest.approx(PPM * (0.67 * 2 / 3 + 0.33), abs=1)
    assert point.baselines[0].cores.relative_ppm == PPM


def test_where_tl_is_no_baseline_the_first_one_is_the_reference():
    ee, s2f = run("EE", use(10)), run("S2F", use(20))
    assert reference([ee, s2f]) is ee
    assert reference([ee, run("TL", use(30))]).subject == "TL"
    assert reference([]) is None


def test_other_power_is_a_share_of_the_reference_s_server():
    found = with_ratio(run("ours", use(40, 10)), run("TL", use(80, 20)), 500_000)
    assert found.cores.relative_ppm == 500_000
    assert found.cores.whole_ppm == 750_000


@pytest.mark.parametrize(("ours", "theirs"), [(True, False), (False, True)])
def test_nothing_is_relative_to_or_of_an_overloaded_server(ours, theirs):
    policy_run, base = run("a", use(1), overloaded=ours), run("TL", use(1), overloaded=theirs)
    assert with_ratio(policy_run, base, 0).cores.relative_ppm is None


def test_the_interval_is_student_s_over_the_repeats():
    repeats = [CoreTimes(energy * 1e6, 0.0, 0.0, (0.5, 0.25), None) for energy in (10, 12, 14, 16)]
    found = core_use(AMP, repeats)
    # mean 13, deviation sqrt(20 / 3), t of 3 degrees of freedom 3.1824
    half = 3.1824 * math.sqrt(20 / 3) / 2
    assert found.request_us == 13_000
    assert found.low_us == pytest.approx(1000 * (13 - half), rel=2e-3)
    assert found.high_us == pytest.approx(1000 * (13 + half), rel=2e-3)
    assert found.types == (TypeUse("type1", 500_000), TypeUse("type2", 250_000))


def test_one_repeat_has_no_interval():
    found = core_use(AMP, [CoreTimes(1e6, 0.0, 0.0, (None, 0.25), None)])
    assert (found.low_us, found.high_us) == (None, None)
    assert found.types[0].utilization_ppm == 0


def test_outputs_are_told_by_mean_and_nine_in_ten():
    outputs = np.arange(1, 101, dtype=np.int64)
    halves = [CoreTimes(1.0, 0.0, 0.0, (), part) for part in (outputs[:50], outputs[50:])]
    assert control_use(halves) == ControlUse(50, 5, 95)
    assert control_use([CoreTimes(1.0, 0.0, 0.0, (), None)]) is None


def test_a_controller_that_stands_still_scales_the_ages():
    found = judged(AMP, STILL).points[0]
    assert found.policy.control == ControlUse(PPM // 2, PPM // 2, PPM // 2)
    # it climbs at 25 ms
    assert found.policy.cores.request_us == 25_000 + 37_500 * 6
    assert found.baselines[0].control is None


def test_what_a_controller_settles_in_is_not_measured_and_comes_before():
    verdicts = judged(AMP, STILL)
    assert verdicts.settling_requests == settling(STILL) == 200 + SETTLING_EPOCHS * 100
    assert judged(AMP).settling_requests == settling(None) == 0


def test_a_controller_of_a_bound_settles_for_longer():
    bound = dataclasses.replace(STILL, acts_on=Actuator.LATENCY_BOUND)
    assert settling(bound) == 200 + BOUND_SETTLING_EPOCHS * 100 > settling(STILL)


def test_a_controller_that_begins_far_off_has_settled_when_it_is_measured():
    """It ends at the threshold of the closed form: t + (100 - t) / 2 = 80 ms, so 60 % of 100."""
    integral = GainRow(0, 0, 2**32 // 200_000, 0)
    slow = dataclasses.replace(STILL, first_ppm=0, gains=(integral,))
    policy = cores([20, 20], row((0, 0), (100, 1)))
    found = judged(policy, slow, baselines=()).points[0].policy
    assert found.control.mean_ppm == pytest.approx(600_000, rel=0.02)
    assert found.verdicts[0].estimate_us == pytest.approx(80_000, rel=0.02)


def test_policies_on_cores_are_judged_the_same_on_any_number_of_threads():
    one, two = (judged(AMP, STILL, threads=threads) for threads in (1, 2))
    assert one == two


def test_rates_may_be_chosen():
    points = judged(AMP, arrivals=(Poisson(1000), Poisson(2000)), baselines=()).points
    assert [point.reference for point in points] == [None, None]
    assert all(point.policy.cores.relative_ppm is None for point in points)


def test_a_trace_of_other_types_is_refused():
    three = dataclasses.replace(alike(), curves=np.array([[1.0, 1.5, 2.0]]))
    with pytest.raises(TailcError, match=r"speeds on `3` types of core, and .* on `2`"):
        verify(policy(AMP), three, VerifyOptions())


def test_a_trace_may_have_speeds_of_its_own():
    own = dataclasses.replace(alike(), curves=np.array([[1.0, 1.25]]))
    found = verify(policy(AMP), own, VerifyOptions(baselines=(), replicates=49)).points[0]
    # 50 ms slow, then 50 ms of work at 1.25
    assert found.policy.verdicts[0].estimate_us == 90_000


def test_baselines_of_threads_are_refused():
    with pytest.raises(TailcError, match="`seq` where rungs are cores"):
        judged(AMP, baselines=("seq",))


@pytest.mark.parametrize("share_ppm", [-1, PPM])
def test_other_power_is_less_than_all_of_it(share_ppm):
    with pytest.raises(TailcError, match="other power"):
        VerifyOptions(other_power_ppm=share_ppm)


def test_other_power_beside_threads_is_refused():
    threads = thread_policy(Slo(990_000, 80_000), form=climbing())
    with pytest.raises(TailcError, match="beside that of cores"):
        verify(threads, held_out(), VerifyOptions(other_power_ppm=330_000))
