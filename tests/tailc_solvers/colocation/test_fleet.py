"""Fleets: the case studies of the dissertation, and least power by brute force."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from tailc_solvers.colocation.fleet import SupplyCurve, curve_through, provision, supply_curve

from tests.reference import colocation_plain as plain
from tests.tailc_solvers.colocation.core_case import core, random_cores

BATCH_W = 100.0


def curve_with_knee(knee):
    """Power 60 + 50 th up to the knee, then 200 W for each unit: dearer than a batch server."""
    work = np.array([0.0, knee, 1.2])
    power = 60 + 50 * work + 150 * np.maximum(work - knee, 0)
    none = np.zeros(work.size, dtype=np.int64)
    return SupplyCurve(work, power, none, none)


def test_75_to_25_puts_a_third_on_every_server_and_saves_a_quarter():
    found = provision(curve_with_knee(0.8), 75, 25.0, BATCH_W)
    assert found.work == pytest.approx(1 / 3)
    assert (found.dedicated, found.servers) == (0.0, 75)


def test_50_to_50_with_a_knee_at_0_8_takes_60_of_100_servers():
    """50 x 0.8 = 40 of 50, ten dedicated ones: 60 servers."""
    curve = curve_with_knee(0.8)
    assert curve.work[curve.knee(BATCH_W)] == pytest.approx(0.8)
    found = provision(curve, 50, 50.0, BATCH_W)
    assert found.work == pytest.approx(0.8)
    assert found.dedicated == pytest.approx(10.0)
    assert found.servers == 60
    assert found.power_w == pytest.approx(50 * 100 + 10 * 100)


@pytest.mark.parametrize("demand", [0.0, 10.0, 39.0, 60.0])
def test_the_work_of_a_smooth_curve_is_that_of_a_scalar_minimiser(demand):
    """P = 60 + 40 th^2: its slope is 100 at th = 1.25, a dedicated server's power."""
    work = np.linspace(0, 2, 2_001)
    none = np.zeros(work.size, dtype=np.int64)
    curve = SupplyCurve(work, 60 + 40 * work**2 + 1e-9 * work, none, none)

    def power(th):
        return 40 * (60 + 40 * th**2) + max(0.0, demand - 40 * th) * BATCH_W

    wanted = minimize_scalar(power, bounds=(0, 2), method="bounded", options={"xatol": 1e-9})
    found = provision(curve, 40, demand, BATCH_W)
    assert found.power_w == pytest.approx(wanted.fun, rel=1e-4)
    assert found.work == pytest.approx(wanted.x, abs=2e-3)


def curve_of(problem, **more):
    usual = {"idle_core_w": 0.5, "server_w": 30.0, "unit": 6.0}
    return supply_curve(problem, 6, **(usual | more))


def every_point(problem, least_critical):
    """(work, power) of a server by loops: all pairs that keep up, and none."""
    found = []
    for a, _, u, work, power in plain.pairs(problem):
        if u < 1 and a >= least_critical:
            alone = u * problem.critical_power_w[a] + (1 - u) * 0.5
            found.append((0.0, 30 + 6 * alone))
            found.append((6 * work / 6.0, 30 + 6 * (power - problem.shared_w)))
    return found


@pytest.mark.parametrize("least", [0, 6])
@pytest.mark.parametrize("demand", [0.0, 5.0, 20.0, 30.0, 80.0])
def test_a_fleet_has_the_least_power_of_a_linear_program_over_all_pairs(demand, least):
    for problem in random_cores(12, seed=9):
        curve, points = curve_of(problem, least_critical=least), every_point(problem, least)
        if curve is None:
            assert not points
            continue
        assert (curve.critical >= least).all()
        found = provision(curve, 40, demand, BATCH_W)
        wanted = plain.least_fleet_power(points, 40, demand, BATCH_W)
        assert found.power_w == pytest.approx(wanted, rel=1e-9)
        assert 40 * found.work + found.dedicated == pytest.approx(demand, abs=1e-9)
        low, high = curve.work[found.low], curve.work[found.high]
        if found.low < found.high:
            assert low + found.high_share * (high - low) == pytest.approx(found.work)


def test_a_curve_through_points_leaves_out_those_above_its_corners():
    """(1, 14) is above the line from (0, 10) to (2, 16), and (0, 11) needs more for as much."""
    work, power = np.array([0.0, 1.0, 2.0, 0.0, 3.0]), np.array([10.0, 14.0, 16.0, 11.0, 20.0])
    entries = np.arange(5)
    curve = curve_through(work, power, entries, entries + 10)
    assert curve.work.tolist() == [0, 2, 3]
    assert curve.power_w.tolist() == [10, 16, 20]
    assert (curve.critical.tolist(), curve.batch.tolist()) == ([0, 2, 4], [10, 12, 14])


def test_beyond_the_knee_more_demand_goes_to_dedicated_servers():
    curve = curve_of(core())
    knee = curve.work[curve.knee(BATCH_W)]
    found = [provision(curve, 40, demand, BATCH_W) for demand in (40 * knee, 60, 90)]
    assert [at.work for at in found] == pytest.approx([knee] * 3)
    assert found[0].dedicated == pytest.approx(0.0, abs=1e-9)


def test_overloaded_servers_have_no_curve():
    assert curve_of(core(utilization=5.0)) is None


def test_what_is_no_fleet_is_refused():
    with pytest.raises(ValueError, match="must be at least 1"):
        provision(curve_with_knee(0.8), 0, 1.0, BATCH_W)
    with pytest.raises(ValueError, match="must take more power"):
        SupplyCurve(np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.zeros(2, int), np.zeros(2, int))
