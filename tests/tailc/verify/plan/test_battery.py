"""The judge of a plan that has a battery."""

from dataclasses import replace

import pytest

from tailc.forms.plan.plan import PPM, Battery
from tailc.models.datacentre.quantities import JobQuantity
from tailc.models.datacentre.storage import Storage
from tailc.models.malleable_jobs.cluster import cluster_of
from tailc.models.rigid_jobs.site import site_of
from tailc.pipeline.plan_battery import with_battery as with_best
from tests.tailc.artifact.published import policy_of
from tests.tailc.verify.plan.judging import verdict
from tests.tailc.verify.plan.rigid_case import days, plan


def with_battery(first_mj: int):
    """Up to 1 W, in the plan's first epoch, whose price is 0."""
    whole = plan()
    battery = Battery(10**7, 1_000, 1_000, PPM, first_mj)
    epochs = tuple(replace(one, battery_mj=0) for one in whole.epochs)
    pools = tuple(replace(one, asleep_mw=1_000) for one in whole.pools)
    gives = (replace(epochs[0], battery_mj=-min(first_mj, 900_000)), *epochs[1:])
    return replace(whole, epochs=gives, battery=battery, pools=pools)


def test_every_window_begins_with_what_the_battery_held_first():
    """Four servers of 1 W draw 7.2 kJ in two epochs, whatever they do; 500 J come from it."""
    for first_mj in (0, 500_000):
        found = verdict(with_battery(first_mj), days([0.0] * 4, [0, 1_800]))
        brown = found.policy.means[JobQuantity.BROWN].value
        assert brown * 3_600_000_000 == pytest.approx(7_200_000 - first_mj)


def test_baselines_have_the_same_battery():
    found = verdict(with_battery(500_000), days([0.0] * 4, [0, 1_800]))
    for one in found.baselines:
        assert one.means[JobQuantity.BROWN].value * 3_600_000_000 == pytest.approx(6_700_000)


def test_sites_and_clusters_have_the_battery_of_their_plan():
    racks, slow = policy_of("plan-battery-racks").plan, policy_of("plan-slow").plan
    assert racks
    assert slow
    assert site_of(racks).storage == Storage(racks.battery, 105_500)
    assert cluster_of(slow).storage is None
    battery = Battery(1, 1, 1, PPM, 1)
    assert cluster_of(with_best(slow, battery)).storage == Storage(battery, None)
