"""Which requests run otherwise is told with a share, causes and examples."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from tailc.diff import lookups
from tailc.diff.causes import Cause
from tailc.diff.decisions import (
    DecisionRecords,
    MatchingPolicies,
    Share,
    decisions,
    match_policies,
    record_decisions,
)
from tailc.experiment.experiment import Experiment
from tailc.experiment.scenario import Scenario
from tailc.forms.ladder.table import CostUnit, Rung
from tailc.models.arrivals import Poisson
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import workload
from tests.tailc.diff.servers import one_climb
from tests.tailc.verify.policies import climbing, held_out

RUNGS = ("d1", "d2")


def point(*requests, arrivals="100/s"):
    """(what, old rung, new rung, demand in us) each."""
    what, old, new, demand_us = (np.array(column) for column in zip(*requests, strict=True))
    zeros = np.zeros(len(what), np.int64)
    return DecisionRecords(
        arrivals, what.astype(np.int8), zeros + 7, old, new, demand_us * 1000, zeros, zeros
    )


def same(count):
    return [(lookups.SAME, 0, 0, 10)] * count


def test_shares_are_of_all_requests_and_by_first_cause():
    told = decisions([point(*same(6), (lookups.CLIMBS_LATER, 1, 0, 5), (1, 0, 0, 5))], RUNGS)
    (share,) = told.shares
    assert (share.requests, share.changed_requests, share.share_ppm) == (8, 2, 250_000)
    counts = dict(share.by_cause)
    assert (counts[Cause.CLIMBS_LATER], counts[Cause.STARTS_EARLIER]) == (1, 1)
    assert (told.requests, told.changed_requests) == (8, 2)


def test_an_example_is_the_median_demand_of_its_kind():
    later = [(lookups.CLIMBS_LATER, 1, 0, demand_us) for demand_us in (50, 10, 40, 20, 30)]
    (example,) = decisions([point(*same(3), *later)], RUNGS).examples
    assert (example.demand_us, example.similar_requests) == (30, 5)
    assert (example.old, example.new, example.in_system) == ("d2", "d1", 7)


def test_examples_come_from_the_most_frequent_kinds_of_all_points():
    earlier = (lookups.CLIMBS_EARLIER, 0, 1, 10)
    starts = (lookups.STARTS_LATER, 0, 0, 10)
    told = decisions([point(starts, earlier), point(earlier, earlier, arrivals="200/s")], RUNGS)
    assert [example.cause for example in told.examples] == [
        Cause.CLIMBS_EARLIER,
        Cause.STARTS_LATER,
    ]
    assert (told.examples[0].similar_requests, told.examples[0].arrivals) == (3, "200/s")
    assert told.examples[1].old is None


def test_at_most_five_examples_are_told():
    kinds = [(what, 0, rung, 10) for what in (3, 4, 5) for rung in (0, 1)]
    assert len(decisions([point(*kinds)], RUNGS).examples) == 5


def test_without_a_replay_that_ended_nothing_is_told():
    told = decisions([None], RUNGS)
    assert "overloaded" in told.unknown
    assert told.shares == ()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"quantum_us": 1}, "quanta"),
        ({"cost_units": (CostUnit("watts", 8_000_000),)}, "different rungs"),
        ({"rungs": tuple(Rung(f"d{i}", 1, (i,)) for i in (1, 2))}, "of the same"),
        ({"rungs": (*one_climb(20).rungs[:2], Rung("d9", 9, (9,)))}, "different rungs"),
    ],
)
def test_policies_on_other_rungs_or_quanta_are_not_asked(changes, why):
    old = one_climb(20)
    new = replace(old, **changes)
    assert why in match_policies(SharedCores("old", (old,)), SharedCores("new", (new,)))


def test_policies_on_renamed_rungs_are_asked():
    old = one_climb(20)
    renamed = tuple(replace(rung, name=f"x{rung.name}") for rung in old.rungs)
    new = replace(old, rungs=renamed)
    places = match_policies(SharedCores("a", (old,)), SharedCores("b", (new,)))
    assert isinstance(places, MatchingPolicies)


def replayed(old, new):
    places = MatchingPolicies(SharedCores("old", (old,)), SharedCores("new", (new,)))
    scenario = Scenario(workload(held_out(400), climbing()), Poisson(100_000), 1000, 500, 1)
    with ThreadPoolExecutor(1) as workers:
        experiment = Experiment(scenario, 2, 0, workers)
        outcomes = [outcome for _, outcome in experiment.outcomes(places.old)]
        return record_decisions(places, experiment, outcomes, repeats=2)


def test_a_later_climb_changes_the_requests_that_reach_its_age_in_that_row():
    told = decisions([replayed(one_climb(20), one_climb(60))], RUNGS)
    (share,) = told.shares
    assert {cause for cause, count in share.by_cause if count} == {Cause.CLIMBS_LATER}
    assert 0 < share.changed_requests < share.requests
    (example,) = told.examples
    assert (example.old, example.new) == ("d2", "d1")
    assert 20_000 <= example.executed_us < 60_000
    assert example.in_system >= 4


def test_a_policy_asked_about_itself_does_nothing_otherwise():
    told = decisions([replayed(one_climb(20), one_climb(20))], RUNGS)
    assert (told.changed_requests, told.examples) == (0, ())


def test_only_measured_requests_count():
    point_ = replayed(one_climb(20), one_climb(60))
    assert point_ is not None
    assert Share("", len(point_.what), ()).requests == 2 * 950
