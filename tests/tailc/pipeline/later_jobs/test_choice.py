import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.cli import run
from tailc.errors import Code
from tailc.experiment.job_windows import replay_windows
from tailc.experiment.plan_options import PlanOptions
from tailc.forms.plan.plan import RULES, planner_of, rule_of
from tailc.models.datacentre.quantities import JobQuantity
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.job_baselines import solver_baselines
from tailc.pipeline.later_jobs import choice
from tailc.pipeline.later_jobs.comparison import JudgedRule
from tailc.policies.green_sla.site_spec import GreenSlaSearch
from tailc.studies.held_out_days import read_held_out_days
from tests.tailc.policies.green_sla import case as rigid
from tests.tailc.policies.greenpar import case as malleable

MALLEABLE = ("constant", "reactive", "nebulous", "aggressive", "aggressive-25%")
RIGID = ("first-fit", "smart-green", "on-arrival")


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    written = {}
    for kind in (malleable, rigid):
        folder = tmp_path_factory.mktemp("choice")
        written[kind] = str(kind.write(folder).spec)
    return written


def method_of(compiled):
    return compiled.policy.evidence.method


@pytest.mark.parametrize(("method", "rule"), [("columns", None), ("arrival", None), ("x", None)])
def test_methods_that_plan_decide_later_jobs_by_prices(method, rule):
    assert rule_of(method) is rule
    assert planner_of(method, "other") == method


@pytest.mark.parametrize("method", [*MALLEABLE, *RIGID, "annealing"])
def test_a_rule_plans_the_known_jobs_by_the_usual_method(method):
    assert rule_of(method) == method
    assert planner_of(method, "columns") == "columns"


@pytest.mark.parametrize(
    ("kind", "method"),
    [(malleable, "constant"), (malleable, "aggressive-25%"), (rigid, "on-arrival")],
)
def test_a_stated_rule_decides_in_replays_as_the_baseline_of_its_name(cases, kind, method):
    compiled = compile_policy(cases[kind], overrides={"method": method})
    assert method_of(compiled) == method
    assert Code.RULE_CHOSEN not in {one.code for one in compiled.findings}
    held_out = read_held_out_days(compiled.policy, cases[kind], 1)
    plan = compiled.policy.plan
    assert plan is not None
    with solver_baselines(plan) as more:
        options = PlanOptions(baselines=(method,), more=more)
        samples = replay_windows(compiled.policy, held_out, options)
    own, baseline = samples.policy, samples.baselines[method]
    assert [one.parts.tolist() for one in own.values()] == [
        one.parts.tolist() for one in baseline.values()
    ]


def test_a_rule_changes_no_plan_of_known_jobs(cases):
    prices, rule = (
        compile_policy(cases[rigid], overrides={"method": one}).policy
        for one in ("arrival", "first-fit")
    )
    assert rule.plan is not None
    assert rule.plan.later_jobs == rule.later_jobs == "first-fit"
    assert prices.plan == replace(rule.plan, later_jobs=None)
    assert prices.later_jobs is None
    assert replace(rule.evidence, method="arrival") == prices.evidence


@pytest.mark.parametrize("kind", [malleable, rigid])
def test_auto_takes_the_best_rule_without_a_fault(cases, kind, monkeypatch):
    seen = []

    real = choice.best_rule
    monkeypatch.setattr(choice, "best_rule", lambda *args: (seen.extend(args[0]), real(*args))[1])
    compiled = compile_policy(cases[kind])
    (note,) = [one for one in compiled.findings if one.code is Code.RULE_CHOSEN]
    plan = compiled.policy.plan
    assert plan is not None
    promised = plan.violations_ppm / 1e6
    fair = [one for one in seen if one.broken <= promised and not one.draws_more_than(seen[0])]
    best = min(fair or seen, key=lambda one: float(one.loss.sum()))
    assert rule_of(method_of(compiled)) == best.name
    assert ("prices" if best.name is None else f"`{best.name}`") in note.message


def test_the_note_says_the_fault_of_the_best_rule_if_each_has_one():
    plan = SimpleNamespace(malleable=None, violations_ppm=10_000)
    comparison = cast("Any", SimpleNamespace(plan=plan, windows=(1, 2)))
    first_fit = JudgedRule("first-fit", np.array([-1.0, -1.0]), None, 0.5)
    prices = JudgedRule(None, np.array([-2.0, -2.0]), None, 0.2)
    note = choice._chosen(comparison, (first_fit, prices), prices)
    assert note.message.endswith("every rule breaks a limit: this one breaks 20 % of the promises")
    fair = replace(prices, broken=0.01)
    assert "limit" not in choice._chosen(comparison, (first_fit, fair), fair).message


def test_the_description_of_auto_names_the_rules_that_it_compares():
    text = GreenSlaSearch.model_fields["method"].description or ""
    compared = {choice.FIRST_FIT, *choice._OF_RIGID}
    assert {one for one in RULES if f"`{one}`" in text.rpartition("`auto`")[2]} == compared


def test_auto_never_costs_more_than_constant_widths_on_later_days(cases):
    compiled = compile_policy(cases[malleable])
    held_out = read_held_out_days(compiled.policy, cases[malleable], 3)
    plan = compiled.policy.plan
    assert plan is not None
    with solver_baselines(plan) as more:
        options = PlanOptions(baselines=("constant",), more=more)
        samples = replay_windows(compiled.policy, held_out, options)
    own, constant = (
        {one: float(of[one].parts.sum()) for one in (JobQuantity.COST, JobQuantity.RUN)}
        for of in (samples.policy, samples.baselines["constant"])
    )
    assert own[JobQuantity.COST] <= constant[JobQuantity.COST] * 1.02


def test_without_earlier_days_widths_are_constant(cases, tmp_path):
    case = malleable.write(tmp_path)
    first = malleable.SPEC.replace("at_start: 48h", "at_start: 0h")
    case.spec.write_text(first.replace("2020-06-03T06", "2020-06-01T06"))
    compiled = compile_policy(str(case.spec))
    assert method_of(compiled) == "constant"
    (note,) = [one for one in compiled.findings if one.code is Code.RULE_CHOSEN]
    assert "no earlier day" in note.message


def test_rules_that_plan_again_are_left_out_for_many_jobs(cases, monkeypatch):
    monkeypatch.setattr(choice, "MOST_PLANNED_JOBS", 1)
    compiled = compile_policy(cases[malleable])
    (note,) = [one for one in compiled.findings if one.code is Code.RULE_CHOSEN]
    assert note.help is not None
    assert "aggressive" not in note.message + note.help


def test_an_artifact_with_a_rule_is_verified_compared_and_looked_up(cases, tmp_path, capsys):
    path = str(tmp_path / "policy")
    words = ["compile", cases[malleable], "-o", path, "--method", "aggressive", "--no-progress"]
    assert run(words) == 0
    assert read_policy(path).evidence.method == "aggressive"
    assert "later jobs by aggressive" in capsys.readouterr().out
    days = ["--trace", cases[malleable], "--windows", "1"]
    assert run(["verify", path, *days, "--no-progress"]) in (0, 4)
    assert run(["diff", path, path, *days]) == 0
    capsys.readouterr()
    assert run(["lookup", path, "--at", malleable.FIRST, "--width", "1", "--epochs", "2"]) == 0
    assert "decides about later jobs by `aggressive`" in capsys.readouterr().err


def test_diff_replays_each_plan_with_its_own_weight_of_run_time(cases, tmp_path, capsys):
    policy = compile_policy(cases[malleable], overrides={"method": "aggressive"}).policy
    plan = policy.plan
    assert plan is not None
    assert plan.malleable is not None
    slow = replace(plan.malleable, delay_udollars=plan.malleable.delay_udollars // 100)
    paths = [str(tmp_path / name) for name in ("own", "slow")]
    write_policy(policy, paths[0])
    write_policy(replace(policy, forms=(replace(plan, malleable=slow),)), paths[1])

    def days(old):
        words = ["diff", old, paths[1], "--trace", cases[malleable], "--windows", "1"]
        assert run([*words, "--output-format", "json"]) == 0
        return json.loads(capsys.readouterr().out)["result"]["days"]

    own, same = days(paths[0]), days(paths[1])
    assert same["old"] == same["new"] == own["new"]
    assert own["old"] != own["new"]
