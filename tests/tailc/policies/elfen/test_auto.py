"""The default method of Elfen: the spec names no policy, and no setting by hand is better."""

from __future__ import annotations

import pytest

from tailc.pipeline.compilation import Judging
from tailc.pipeline.compile import compile_policy
from tests.tailc.policies.elfen.case import swapped, write

NAMED = "policy: fixed\nbudget: by-load\n"
UNNAMED = swapped((NAMED, ""))
HOTTER = swapped(
    (NAMED, ""),
    ("percentile: 99%, latency: 80ms", "percentile: 95%, latency: 60ms"),
    ("rates: [20/s, 60/s]", "rates: [70/s]"),
)


def compiled(folder, spec, **overrides):
    path = str(write(folder, spec).spec)
    return compile_policy(path, overrides=overrides, threads=2, judging=Judging(allows_misses=True))


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("quick"), UNNAMED, effort="quick")


def test_all_static_policies_are_tried_and_the_cheapest_within_the_slo_is_taken(quick):
    tried = quick.sweep.candidates
    assert [one.problem.borrowing.value for one in tried] == [
        "borrow-idle",
        "fixed",
        "refresh",
        "dynamic",
        "safe",
    ]
    chosen = quick.sweep.chosen
    assert chosen.keeps_all
    assert all(us <= 80_000 for us in chosen.tails_us)
    for other in tried:
        if other.keeps_all:
            assert any(own <= cost for own, cost in zip(chosen.costs, other.costs, strict=True))
    idle = tried[0]
    assert all(own < cost for own, cost in zip(chosen.costs, idle.costs, strict=True))


def test_quick_takes_the_policy_as_it_could_be_written_by_hand(quick, tmp_path):
    name = quick.sweep.chosen.problem.borrowing.value
    budget = "budget: by-load\n" if name in ("fixed", "safe") else ""
    by_hand = compiled(tmp_path, swapped((NAMED, f"policy: {name}\n{budget}")))
    assert by_hand.policy.ladders == quick.policy.ladders


def test_tuned_ages_give_up_less_batch_work_than_any_setting_by_hand(tmp_path):
    policy = compiled(tmp_path, HOTTER).policy
    assert policy.evidence.method == "simulation"
    (row,) = policy.evidence.estimates.rows
    assert row.by_hand.cost_change_ppm < 0
    assert row.tail_us <= 61_000


def test_where_batch_work_pays_on_free_cores_alone_that_is_the_policy(tmp_path):
    """Both lanes together do less than one: 70 % and 35 % of their work are lost."""
    lanes = "lanes: {interference: 70%, batch_slowdown: 35%}"
    spec = swapped((NAMED, ""), ("lanes: {interference: 45%}", lanes))
    found = compiled(tmp_path, spec)
    assert found.sweep.chosen.problem.borrowing.value == "borrow-idle"
    assert found.policy.ladders == found.sweep.chosen.policy.ladders


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("budget: by-load", "`budget` is given without `policy`"),
        ("charge: harm", "`charge` is given without `policy`"),
        (
            "search: {method: paper, effort: quick}",
            ("`search.effort` applies only to the method `auto`"),
        ),
        ("search: {effort: quick, diurnal: [1, 2]}", "`effort: quick` does not"),
        (
            "search: {requests: 9000000}",
            "`search.requests` applies only to the method `simulation`",
        ),
    ],
)
def test_what_goes_with_a_named_policy_or_another_method_is_refused(words, said, tmp_path, refusal):
    assert said in refusal(write(tmp_path, f"{UNNAMED}{words}\n").spec)
