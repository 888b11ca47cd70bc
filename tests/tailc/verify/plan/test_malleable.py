from dataclasses import replace

import numpy as np
import pytest

from tailc.experiment.ruling import Ruling
from tailc.experiment.window_quantities import Quantity
from tailc.forms.plan.plan import Epoch, Malleable, Plan, Pool, PoolPrices
from tailc.models.datacentre.window import windows
from tailc.models.malleable_jobs.baselines.nebulous import Hint
from tailc.models.malleable_jobs.engine import MalleableJob
from tailc.verify.plan.malleable import cluster_of, hint_of, verify_malleable
from tests.tailc.models.datacentre.test_window import energy, log
from tests.tailc.verify.plan.test_rigid import plan as rigid_plan


class Linear:
    """Twice the servers, twice the speed."""

    def speedup_ppm(self, _application, requested, servers):
        counts = (count for count in (1, 2, 4) if count <= servers)
        return {2 * requested: {count: count * 1_000_000 for count in counts}}


def plan(udollars=0, delay_udollars=0, violations_ppm=500_000) -> Plan:
    """Four servers of 1 W for two epochs of 900 s."""
    prices = (PoolPrices((udollars,) * 2),)
    malleable = Malleable(delay_udollars, 1_100_000)
    pool = Pool("all", 4, 1_000, 0, 0)
    return Plan(
        0, 900, (pool,), (Epoch(0, 0, 0, None),) * 2, (), prices, None, malleable, violations_ppm
    )


def days(power, submit_s):
    """Jobs of 1,800 s on the two servers that each asks for; windows of two epochs."""
    one = log(submit_s)
    names = {"application": np.zeros(one.jobs, np.int64), "applications": ("FT",)}
    return windows(replace(one, run_s=3 * one.run_s, **names), energy(power), 2)


def test_the_fewest_servers_that_are_in_time_win_where_all_cost_alike():
    # 3,600 s of work in 1,980 s: two servers for two epochs, or four for one.
    found = verify_malleable(plan(100), days([2.0] * 4, [0, 1_800]), Linear())
    assert (found.is_rigid, found.windows, found.jobs) == (False, 2, 2)
    means = found.policy.means
    assert means[Quantity.SERVERS].value == 2
    assert means[Quantity.VMS].value == 4
    assert means[Quantity.RUN].value == 0.5
    assert means[Quantity.RELATIVE].value == means[Quantity.DONE].value == 1
    assert means[Quantity.BROWN].value == means[Quantity.SPILLED].value == 0
    assert means[Quantity.GREEN].value == pytest.approx(3_600 / 3_600_000)


def test_what_it_costs_to_be_sooner_done_is_told_beside_constant_allocation():
    # An epoch less is worth something: four servers, of which the sun carries two.
    found = verify_malleable(plan(100, 1), days([2.0] * 4, [0, 1_800]), Linear())
    means = found.policy.means
    assert means[Quantity.SERVERS].value == 4
    assert means[Quantity.RELATIVE].value == 0.5
    assert means[Quantity.BROWN].value == pytest.approx(1_800 / 3_600_000)
    assert means[Quantity.SPILLED].value == pytest.approx(1_800 / 3_600_000)
    assert means[Quantity.COST].value == pytest.approx(0.0005 * 0.1055)
    assert means[Quantity.CO2].value == pytest.approx(0.0005 * 0.2)
    constant = found.baselines[0]
    assert constant.name == "constant"
    assert constant.means[Quantity.RELATIVE].value == 1
    assert constant.gains[Quantity.RUN].value == pytest.approx(-0.25)
    assert constant.gains[Quantity.BROWN].value == pytest.approx(0.0005)
    # Green energy carries no third server, so the others keep two.
    assert [one.name for one in found.baselines] == ["constant", "reactive", "nebulous"]
    assert {one.means[Quantity.SERVERS].value for one in found.baselines} == {2}


def test_promises_are_ruled_on_by_the_whole_interval():
    kept = days([2.0] * 40, [1_800 * day for day in range(20)])
    passed = verify_malleable(plan(violations_ppm=200_000), kept, Linear())
    assert (passed.ruling, passed.exit_code, passed.more_windows) == (Ruling.PASS, 0, None)
    # None of 20 jobs is late, but 3 might have been; of 30 that is a tenth.
    open_ = verify_malleable(plan(violations_ppm=100_000), kept, Linear())
    assert (open_.ruling, open_.exit_code, open_.more_windows) == (Ruling.UNDECIDED, 4, 10)
    few = verify_malleable(plan(violations_ppm=900_000), kept[:1], Linear())
    assert (few.ruling, few.more_windows) == (Ruling.UNDECIDED, 3)
    # No number of windows shows that none is ever late.
    never = verify_malleable(plan(violations_ppm=0), kept, Linear())
    assert (never.ruling, never.more_windows) == (Ruling.UNDECIDED, None)


@pytest.mark.parametrize(
    ("at_twice", "hint"),
    [
        (2_000_000, Hint.EXCELLENT),
        (1_600_000, Hint.GOOD),
        (1_300_000, Hint.FAIR),
        (1_100_000, Hint.POOR),
    ],
)
def test_users_say_how_jobs_speed_up_by_what_twice_the_servers_do(at_twice, hint):
    told = {2: {1: 1_000_000}, 4: {1: 1_000_000, 2: at_twice}}
    assert hint_of(MalleableJob(1, 0, 600, 1, 1_100_000, told)) is hint
    assert hint_of(MalleableJob(1, 0, 600, 1, 1_100_000, {2: {1: 1_000_000}})) is Hint.POOR


def test_a_cluster_is_the_one_pool_of_a_plan_of_malleable_jobs():
    cluster = cluster_of(plan())
    assert (cluster.servers, cluster.busy_mw, cluster.epoch_s) == (4, 1_000, 900)
    with pytest.raises(ValueError, match="one pool"):
        cluster_of(rigid_plan())
    with pytest.raises(ValueError, match="a window"):
        verify_malleable(plan(), (), Linear())
