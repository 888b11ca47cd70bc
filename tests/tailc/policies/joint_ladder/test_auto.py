"""The default method of joint ladders, where there are rates."""

from __future__ import annotations

import pytest

from tailc.errors import TailcError
from tailc.experiment.options import VerifyOptions
from tailc.pipeline.auto.choice import AutoResult
from tailc.pipeline.compilation import Judging
from tailc.pipeline.compile import compile_policy
from tailc.studies.held_out import read_held_out
from tailc.verify.judge import verify
from tests.tailc import texts
from tests.tailc.policies.joint_ladder import made
from tests.tailc.policies.joint_ladder.case import SPEC, write

AUTO = SPEC.replace("95%", "90%") + "search: {effort: quick}\n"
TYPES = AUTO.replace(
    "  power_from: micro-2017-dvfs\n"
    "  dvfs: {count: 16, levels: [{name: slow, speed: 1}, {name: fast, speed: 2}]}\n",
    "  power_from: micro-2017-amp\n"
    "  types: [{name: slow, speed: 1, count: 8}, {name: fast, speed: 2, count: 2}]\n",
).replace("server: {peak_power: 27.2, quantum: 5ms}", "server: {quantum: 5ms}")
BY_HAND = ("seq", "fix-2", "fix-3", "fix-4", "every-5ms", "every-20ms")


@pytest.mark.parametrize("text", [AUTO, TYPES], ids=["frequencies", "types of cores"])
def test_it_loses_to_no_setting_by_hand_on_requests_that_no_compile_saw(text, tmp_path):
    case = write(tmp_path, text)
    policy = compile_policy(str(case.spec), threads=2).policy
    assert policy.evidence.method == "auto"
    held_out = read_held_out(policy, str(case.held_out))
    names = tuple(name for name in BY_HAND if name != "fix-4" or len(policy.ladders[0].rungs) > 3)
    options = VerifyOptions(baselines=names, requests_per_replay=10_000, replicates=49)
    (point,) = verify(policy, held_out.profile, options).points
    tails_us = [run.estimates[0].estimate_us for run in (point.policy, *point.baselines)]
    assert tails_us[0] < min(tails_us[1:])


ENERGY = AUTO.replace("effort: quick", "effort: quick, objective: energy")
LANES = texts.swapped(
    AUTO,
    (
        "cores:\n  power_from: micro-2017-dvfs\n"
        "  dvfs: {count: 16, levels: [{name: slow, speed: 1}, {name: fast, speed: 2}]}\n"
        "server: {peak_power: 27.2, quantum: 5ms}",
        "cores: {types: [{speed: 1, power: 1, count: 9}]}\nlanes: {interference: 30%}\n"
        "server: {quantum: 5ms}",
    ),
    ("reference: slow", "reference: c1"),
    ("effort: quick", "effort: quick, objective: batch"),
)


@pytest.mark.parametrize("text", [ENERGY, LANES], ids=["energy", "batch work"])
def test_it_costs_no_more_than_the_cheapest_setting_by_hand_that_keeps_the_slo(text, tmp_path):
    spec = write(tmp_path, text).spec
    compiled = compile_policy(str(spec), threads=2, judging=Judging())
    policy, (chosen,) = compiled.policy, compiled.additions_of(AutoResult)
    assert chosen.best.is_safe
    (row,) = policy.evidence.estimates.rows
    assert row.tail_us <= 1.02 * policy.slos[0].latency_us
    assert row.by_hand.cost_change_ppm < 20_000


def test_it_is_the_default_with_rates_for_every_objective_but_the_rate():
    def method(**changes):
        return made.spec(**changes).method

    assert method() == "dual"
    assert method(rates=["10/s"]) == "auto"
    assert method(rates=["10/s"], search={"objective": "energy"}) == "auto"
    assert method(search={"objective": "energy"}) == "dual"


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (
            "method: auto, objective: rate",
            "supports only the objective `tail` or `energy` or `batch`",
        ),
        ("method: dual, effort: quick", "`search.effort` applies only to the method `auto`"),
        ("requests: 2000000", "`search.requests` applies only to the method `simulation`"),
    ],
)
def test_what_does_not_go_together_is_refused(search, message, tmp_path, refusal):
    assert message in refusal(write(tmp_path, f"{SPEC}search: {{{search}}}\n").spec)


def test_an_option_of_another_method_is_refused():
    with pytest.raises(
        TailcError, match=("`--effort` applies only to the method `auto`, not to `dual`")
    ):
        made.spec(rates=["10/s"]).with_search({"method": "dual", "effort": "quick"})
