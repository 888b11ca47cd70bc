"""Whom a policy of each model is replayed beside where no baseline is named."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tailc.experiment.comparison import compare
from tailc.experiment.options import VerifyOptions
from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.forms.ladder.lanes import Lanes, Waking, lane_ladder, plan_at_any_load
from tailc.models.arrivals import Poisson
from tailc.models.core_queues.clocks import Clocks
from tailc.models.core_queues.model import CoreQueues
from tailc.models.core_types.model import CoreTypes
from tailc.models.execution_model import Subject
from tailc.models.shared_cores.model import SharedCores
from tailc.models.smt.model import Smt
from tailc.specs.slo import Slo
from tests.tailc.models.core_queues.servers import GHZ, tail_table
from tests.tailc.models.core_types.servers import PPM, cores, row
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.verify.policies import held_out

AGES = Controller(
    Actuator.CLIMB_AGES, 990_000, 100_000, 50, 200, PPM, 0, PPM, 32, (GainRow(0, 0, 0, 0),)
)
BOUND = replace(AGES, acts_on=Actuator.LATENCY_BOUND, gains=(GainRow(0, 0, 1, 0),))
FIXED = SharedCores("ours", (ladder(at_once((0, 0)), cores=4, rungs=2),))
BOOSTING = SharedCores("ours", (ladder(at_once((0, 1)), cores=4, rungs=2, boost=4),))
AMP = CoreTypes("ours", (cores([4, 2], row((0, 0), (40, 1))),))
CLOCKS = CoreQueues("ours", Clocks(tail_table((0, 0)), GHZ))
LANES = Smt("ours", (lane_ladder(Lanes(2, 400_000, 250_000), plan_at_any_load(9_000, 2)),))

PROFILE = held_out(requests=400)
QUICK = VerifyOptions(requests_per_replay=400, replicates=49, repeats=2)
SLOW, FAST = Poisson(2_000), Poisson(150_000)


def replayed_baselines(
    subject: Subject, *arrivals: Poisson, target_ms: int = 200, by_cost: bool = True
) -> list[str]:
    slos = (Slo(990_000, target_ms * 1_000),)
    with ThreadPoolExecutor(2) as workers:
        first, *others = compare(subject, slos, PROFILE, arrivals, QUICK, workers, by_cost=by_cost)
    names = [run.subject for run in first.baselines]
    for point in others:
        assert [run.subject for run in point.baselines] == names
    return names


def test_on_shared_cores_one_is_best_at_each_rate_and_boosting_is_an_extra():
    assert replayed_baselines(FIXED, SLOW) == ["SEQ", "FIX-2"]
    assert replayed_baselines(BOOSTING, SLOW) == ["SEQ", "FIX-2", "policy without boosting"]
    names = replayed_baselines(FIXED, SLOW, FAST)
    assert names[:2] == ["SEQ", "FIX-2"]
    assert len(names) == len(set(names)) <= 3


def test_where_the_first_is_the_best_it_is_replayed_once():
    assert replayed_baselines(AMP, SLOW, target_ms=1) == ["TL"]


def test_the_cheapest_that_meets_the_target_is_the_best_where_requests_cost_energy():
    assert replayed_baselines(AMP, SLOW) == ["TL", "EE"]
    assert replayed_baselines(CLOCKS, SLOW) == ["fixed at 1 GHz"]


def test_a_policy_for_tails_is_compared_with_the_fastest_setting():
    assert replayed_baselines(CLOCKS, SLOW, by_cost=False) == ["fixed at 1 GHz", "fixed at 2 GHz"]
    assert replayed_baselines(AMP, SLOW, by_cost=False) == ["TL"]


def test_the_policy_without_its_controller_stands_beside_it():
    assert replayed_baselines(replace(AMP, steering=AGES), SLOW) == ["TL", "EE", "S2F"]
    assert replayed_baselines(replace(CLOCKS, steering=BOUND), SLOW)[-1] == "open loop"


def test_batch_work_stands_beside_the_best_budget_and_the_sleeping_core():
    names = replayed_baselines(LANES, SLOW)
    assert names[0] == "borrow-idle"
    assert len(names) == 2
    sleeping = replace(LANES, waking=Waking(batch_ns=719, core_ns=30_000))
    assert replayed_baselines(sleeping, SLOW)[0] == "no-batch"


@pytest.mark.parametrize("subject", [FIXED, AMP, CLOCKS, LANES])
def test_nothing_is_without_extras_where_the_policy_has_none(subject: Subject):
    assert subject.without_extras == ()


def test_what_is_named_is_all_that_is_replayed():
    named = replace(QUICK, baselines=("first",))
    with ThreadPoolExecutor(2) as workers:
        slos = (Slo(990_000, 1_000),)
        (point,) = compare(BOOSTING, slos, PROFILE, (SLOW,), named, workers, by_cost=False)
    assert [run.subject for run in point.baselines] == ["SEQ"]
