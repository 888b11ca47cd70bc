import numpy as np

from tailc.replay.workload import workload
from tailc.traces.profile import DemandProfile, Measure


def test_work_is_whole_nanoseconds_and_rung_i_runs_at_the_speed_of_degree_i_plus_1():
    profile = DemandProfile(
        np.array([1.5, 1e-9]),
        np.array([2, 5]),
        np.array([[1, 1.9, 2.6], [1, 1.2, 1.3]]),
        np.array([1, 0], np.int32),
        (),
        Measure.DEMAND_BUSY,
        "core",
    )
    load = workload(profile, 2)
    assert load.work_ns.tolist() == [1_500_000, 1]
    assert load.speed[load.curve_of].tolist() == [[1, 1.2], [1, 1.9]]
    assert load.requests == 7
