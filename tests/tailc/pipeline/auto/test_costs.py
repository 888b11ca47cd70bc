"""The best setting by hand: the cheapest, or the fastest, as the objective of the policy is."""

from __future__ import annotations

import pytest

from tailc.errors import Code
from tailc.experiment.options import VerifyOptions
from tailc.pipeline.compilation import Judging
from tailc.pipeline.compile import compile_policy
from tailc.studies.held_out import read_held_out
from tailc.verify.judge import verify
from tests.tailc.policies.elfen import case as elfen
from tests.tailc.policies.joint_ladder.case import SPEC, write

# One thread at the lowest frequency misses that.
LIMIT = SPEC.replace("110ms", "60ms")


def best_by_hand(folder, search):
    """Of the one rate, and the latency of the SLO [us]."""
    spec = write(folder, f"{LIMIT}search: {{{search}}}\n").spec
    policy = compile_policy(str(spec), threads=2, judging=Judging(allows_misses=True)).policy
    assert policy.evidence.estimates is not None
    (row,) = policy.evidence.estimates.rows
    assert row.by_hand is not None
    return row, row.by_hand, policy.slos[0].latency_us


@pytest.fixture(scope="module")
def frugal(tmp_path_factory):
    return best_by_hand(tmp_path_factory.mktemp("frugal"), "method: dual, objective: energy")


@pytest.fixture(scope="module")
def fast(tmp_path_factory):
    return best_by_hand(tmp_path_factory.mktemp("fast"), "method: dual")


def test_a_policy_of_least_energy_stands_beside_the_cheapest_that_keeps_the_slo(frugal, fast):
    _, cheapest, limit_us = frugal
    _, fastest, _ = fast
    assert cheapest.name != fastest.name
    assert fastest.tail_us < cheapest.tail_us <= limit_us


def test_the_change_of_the_cost_is_told_whatever_the_objective(frugal, fast):
    (own, cheapest, _), (_, fastest, _) = frugal, fast
    assert own.tail_us > cheapest.tail_us
    assert cheapest.cost_change_ppm < 0
    assert fastest.cost_change_ppm is not None


def warned(spec):
    found = compile_policy(str(spec), threads=2, judging=Judging(allows_misses=True)).findings
    return [one.message for one in found if one.code is Code.BETTER_BY_HAND]


def test_a_policy_that_loses_to_a_setting_by_hand_says_so(tmp_path):
    """Never to share a core gives up more batch work than a budget does."""
    idle = elfen.swapped(("policy: fixed\nbudget: by-load\n", "policy: borrow-idle\n"))
    (message,) = warned(elfen.write(tmp_path, idle).spec)
    assert message.startswith("at 20/s the setting by hand `")
    assert message.endswith(" % less than the policy and meets the SLO")


def test_a_setting_that_misses_another_slo_is_not_better(tmp_path):
    """`borrow-idle` keeps the second objective, which no budget leaves."""
    slos = "slo: [{percentile: 99%, latency: 80ms}, {percentile: 50%, latency: 7ms}]"
    spec = elfen.swapped(
        ("policy: fixed\nbudget: by-load\n", "policy: borrow-idle\n"),
        ("slo: [{percentile: 99%, latency: 80ms}]", slos),
    )
    assert warned(elfen.write(tmp_path, spec).spec) == []


def test_one_that_loses_to_none_says_nothing(tmp_path):
    spec = write(tmp_path, f"{LIMIT}search: {{method: dual, objective: energy}}\n").spec
    assert warned(spec) == []


def test_a_verdict_has_the_same_settings_beside_the_policy(tmp_path, frugal, fast):
    """The cheapest beside the policy of least energy, the fastest beside that of the least tail."""
    options = VerifyOptions(requests_per_replay=2_000, replicates=49)
    beside = []
    for number, search in enumerate(("method: dual, objective: energy", "method: dual")):
        folder = tmp_path / str(number)
        folder.mkdir()
        case = write(folder, f"{LIMIT}search: {{{search}}}\n")
        policy = compile_policy(str(case.spec), threads=2).policy
        held_out = read_held_out(policy, str(case.held_out)).profile
        (point,) = verify(policy, held_out, options).points
        beside.append({run.subject for run in point.baselines})
    assert frugal[1].name in beside[0]
    # As few requests are in the system, its degree below some load is as fast.
    assert not any(name.startswith(fast[1].name) for name in beside[0])
    assert any(name.startswith(fast[1].name) for name in beside[1])
