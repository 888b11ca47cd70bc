"""Baselines that use solvers, given to the replays of a plan by the caller."""

from __future__ import annotations

from typing import Any, cast

import pytest

from tailc.errors import TailcError
from tailc.experiment.job_windows import job_model, replay_all, replayable
from tailc.experiment.plan_options import PlanOptions
from tailc.models.datacentre.quantities import JobQuantity
from tailc.models.datacentre.window import NoSpeedupCurves
from tailc.pipeline.allocators.baselines import aims_of
from tailc.pipeline.job_baselines import solver_baselines
from tests.tailc.artifact.published import plan_policy
from tests.tailc.verify.plan import malleable_case as malleable
from tests.tailc.verify.plan import rigid_case as rigid

SUN, SUBMIT_S = [2.0] * 4, [0, 1_800]
RIGID = ("on-arrival", "annealing")
MALLEABLE = ("aggressive", "offline")


def rigid_samples(windows):
    with solver_baselines(rigid.plan()) as more:
        model = job_model(rigid.plan(), NoSpeedupCurves(), PlanOptions(more=more))
        return replay_all(model, windows, RIGID).baselines


@pytest.mark.parametrize("name", RIGID)
def test_a_planner_starts_without_a_past_in_each_window(name):
    windows = rigid.days(SUN, SUBMIT_S)
    together = rigid_samples(windows)[name]
    for quantity in (JobQuantity.PROFIT, JobQuantity.GREEN, JobQuantity.ADMITTED):
        alone = [rigid_samples(windows[at : at + 1])[name][quantity] for at in range(len(windows))]
        parts = [part for one in alone for part in one.parts.tolist()]
        assert together[quantity].parts.tolist() == parts


def test_allocators_break_no_promise_and_use_the_energy_that_there_is():
    plan, curves = malleable.plan(), cast("Any", malleable.Linear())
    with solver_baselines(plan) as more:
        model = job_model(plan, curves, PlanOptions(more=more))
        found = replay_all(model, malleable.days(SUN, SUBMIT_S), (*MALLEABLE, "constant"))
    for name in MALLEABLE:
        one = found.baselines[name]
        assert one[JobQuantity.LATE].parts.sum() == 0
        drawn = one[JobQuantity.GREEN].parts + one[JobQuantity.SPILLED].parts
        constant = found.baselines["constant"]
        there = constant[JobQuantity.GREEN].parts + constant[JobQuantity.SPILLED].parts
        assert drawn == pytest.approx(there)


def test_an_hour_of_delay_costs_what_it_does_in_the_plan():
    plan = malleable.plan()
    assert plan.malleable is not None
    aims = aims_of(plan)
    an_hour = plan.malleable.delay_udollars * 3_600 // plan.epoch_s
    assert [aims.run_cost_of(jobs) for jobs in (1, 3)] == [an_hour, 3 * an_hour]


def test_they_are_known_by_name_only_if_they_are_given():
    policy = plan_policy()
    with solver_baselines(rigid.plan()) as more:
        model = replayable(policy, PlanOptions(baselines=RIGID, more=more))
        assert "on-arrival" not in model.baselines.choose(None)
    with pytest.raises(TailcError, match="there is no baseline `annealing`"):
        replayable(policy, PlanOptions(baselines=("annealing",)))
