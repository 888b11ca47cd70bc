"""Capacities against a queue whose percentile has a closed form."""

import dataclasses
import math
from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.experiment.options import VerifyOptions
from tailc.forms.ladder.table import ON_EXIT, Climb, Row
from tailc.report.size import as_text
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile, Measure
from tailc.verify.size import STEPS, Capacity, servers, size
from tests.tailc.models.core_types.servers import cores, row
from tests.tailc.models.core_types.usage_case import STILL, alike
from tests.tailc.models.core_types.usage_case import policy as core_policy
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.verify.policies import climbing, held_out, policy

MEAN_MS = 20.0
TARGET_MS = 200.0
# One core, first come first served: a second request waits until the first exits.
FIFO = ladder(at_once((0, 0), last=1), Row(2, None, ON_EXIT, (Climb(0, 0),)), cores=1, rungs=1)
QUICK = VerifyOptions(requests_per_replay=10_000, replicates=60, repeats=12, baselines=())


def exponential(requests: int) -> DemandProfile:
    """The quantiles of exponential demand, so that the sample is as good as the law."""
    demand_ms = -MEAN_MS * np.log(1 - (np.arange(requests) + 0.5) / requests)
    ones = np.ones(requests, np.int64)
    curve_of = np.zeros(requests, np.int32)
    return DemandProfile(demand_ms, ones, np.array([[1.0]]), curve_of, (), Measure.DEMAND_BUSY, "c")


def highest_mm1_rps(percentile: float) -> float:
    """The sojourn time of M/M/1 is exponential with rate mu - lambda."""
    return 1000 / MEAN_MS - math.log(1 / (1 - percentile)) * 1000 / TARGET_MS


@pytest.mark.parametrize("percentile_ppm", [900_000, 950_000])
def test_the_highest_rate_of_a_single_server_queue_is_its_closed_form(percentile_ppm):
    slo = Slo(percentile_ppm, round(TARGET_MS * 1000))
    found = size([policy(slo, form=FIFO)], exponential(4000), QUICK).capacities[0]
    wanted = highest_mm1_rps(percentile_ppm / 1e6)
    step = 1000 / MEAN_MS / STEPS
    assert found.low_mrps / 1000 <= wanted <= found.high_mrps / 1000 + step
    assert found.rate_mrps / 1000 == pytest.approx(wanted, rel=0.03)


def test_a_target_that_is_never_met_has_no_rate():
    found = size([policy(Slo(990_000, 1000), form=FIFO)], exponential(400), QUICK).capacities[0]
    assert (found.rate_mrps, found.low_mrps, found.high_mrps) == (None, None, None)
    assert servers(1_000_000, found.rate_mrps) is None


def test_a_generous_target_is_met_until_the_server_is_full():
    options = replace(QUICK, requests_per_replay=5000, repeats=4)
    found = size([policy(Slo(500_000, 10**9))], held_out(500), options).capacities[0]
    # 8 cores, 20 ms of work each
    assert 340 < found.rate_mrps / 1000 <= 401


def test_policies_come_before_baselines_and_run_on_their_own_tables():
    slow = policy(Slo(950_000, 100_000), form=ladder(at_once((0, 0)), cores=8, rungs=2))
    fast = policy(Slo(950_000, 100_000), form=climbing())
    options = VerifyOptions(requests_per_replay=2000, replicates=60, repeats=4, baselines=("seq",))
    found = size([fast, slow], held_out(500), options).capacities
    assert [one.subject for one in found] == ["search", "search", "SEQ"]
    # the slow policy does what SEQ does
    assert found[1].rate_mrps == found[2].rate_mrps
    assert found[0].rate_mrps != found[1].rate_mrps


def test_progress_moves_within_a_subject_and_never_back():
    seen = []
    options = VerifyOptions(
        requests_per_replay=500,
        replicates=49,
        repeats=4,
        baselines=("seq",),
        progress=lambda done, of: seen.append(done / of),
    )
    size([policy(Slo(950_000, 100_000))], held_out(300), options)
    assert seen == sorted(seen)
    assert seen[-1] <= 1
    assert len({share for share in seen if share < 0.5}) > 20


def test_a_cut_off_lets_a_server_carry_more_than_whole_demands_would_fill():
    form = ladder(at_once((0, 0)), cores=4, rungs=1)
    options = dataclasses.replace(QUICK, cut_off_us=round(MEAN_MS * 1000))
    slo = Slo(500_000, round(TARGET_MS * 1000))
    found = size([policy(slo, form=form)], exponential(1000), options).capacities[0]
    # 4 cores, and requests run for 1 - 1/e of the mean demand, in the mean
    whole_rps, cut_rps = 4000 / MEAN_MS, 4000 / MEAN_MS / (1 - math.exp(-1))
    assert 1.1 * whole_rps < found.rate_mrps / 1000 <= 1.01 * cut_rps


def test_servers_are_rounded_up():
    assert servers(1_000_000, 300_000) == 4
    assert servers(900_000, 300_000) == 3


def test_a_server_without_a_capacity_is_refused():
    with pytest.raises(TailcError) as raised:
        size(
            [policy(Slo(950_000, 1000), form=ladder(at_once((0, 0)), rungs=1))],
            held_out(100),
            QUICK,
        )
    assert [finding.code for finding in raised.value.findings] == [Code.METHOD_UNFIT]


def test_a_first_rung_that_draws_on_no_limited_unit_is_refused():
    form = ladder(at_once((0, 0)), cores=8, rungs=2)
    free = replace(form.rungs[0], cost_ppm=(0,) * len(form.cost_units))
    form = replace(form, rungs=(free, *form.rungs[1:]))
    with pytest.raises(TailcError) as raised:
        size([policy(Slo(950_000, 1000), form=form)], held_out(100), QUICK)
    assert [finding.code for finding in raised.value.findings] == [Code.METHOD_UNFIT]


def test_limits_enclose_the_rate():
    with pytest.raises(AssertionError):
        Capacity("s", "", 10, 11, 12, 1)
    with pytest.raises(AssertionError):
        Capacity("s", "", 10, 5, 9, 1)
    Capacity("s", "", None, None, 7, 1)


def test_the_number_of_threads_does_not_matter():
    # RC's threshold is searched among the threads too.
    options = VerifyOptions(requests_per_replay=1000, replicates=49, repeats=2, baselines=("rc-2",))
    one, two = (
        size(
            [policy(Slo(950_000, 100_000))],
            held_out(300),
            dataclasses.replace(options, threads=threads),
        )
        for threads in (1, 2)
    )
    assert one == two


def test_a_server_of_cores_is_sized_by_its_controller_too():
    """Every request takes 100 ms of a slow core or 50 of a fast one."""
    amp = cores([2, 1], row((0, 1)))
    still = dataclasses.replace(STILL, target_us=120_000, epoch_requests=100)
    policies = [
        dataclasses.replace(core_policy(amp, *steered), slos=(Slo(900_000, 400_000),))
        for steered in ((), (still,))
    ]
    options = VerifyOptions(
        replicates=49, requests_per_replay=2000, baselines=("first",), repeats=4
    )
    found = size(policies, alike(), options)
    assert [one.subject for one in found.capacities] == ["amp", "amp", "TL"]
    # an age of 0 is 0 however it is scaled, and wanting the last rung from the start is TL
    alone, steered, tl = (one.rate_mrps for one in found.capacities)
    assert alone == tl
    assert abs(steered - alone) <= 0.05 * alone
    # two slow cores and a fast one do 40 requests a second
    assert 30_000 < alone < 40_000


@pytest.mark.parametrize(
    ("rates_mrps", "is_beyond"), [((10_000,), True), ((1_000, 45_000), False), ((), False)]
)
def test_the_text_says_where_a_rate_is_above_those_of_the_policy(rates_mrps, is_beyond):
    slo = Slo(900_000, round(TARGET_MS * 1000))
    one = replace(policy(slo, form=FIFO), rates_mrps=rates_mrps)
    options = replace(QUICK, requests_per_replay=2000, baselines=("seq",))
    sizing = size([one], exponential(400), options)
    first, *others = sizing.capacities
    assert first.exceeded_mrps == (10_000 if is_beyond else None)
    assert not any(other.exceeded_mrps for other in others)
    text = as_text(sizing, None)
    assert ("is above the rates that it is compiled for,\nup to 10/s." in text) is is_beyond
