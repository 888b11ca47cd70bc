"""The default method: no setting by hand is better, and the paper's procedure is one to ask for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tailc.artifact.json_form import encode_json
from tailc.errors import Code, TailcError
from tailc.forms.ladder.table import Climb
from tailc.pipeline.auto.best import Best
from tailc.pipeline.auto.choice import AutoResult
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.holdback import in_sample
from tailc.pipeline.auto.rivals import Option
from tailc.pipeline.compilation import Judging
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.controller import TunedController
from tailc.pipeline.judging import with_estimates
from tailc.pipeline.spec import open_kind
from tailc.progress import silent
from tailc.report.compile_report import compiled_result, compiled_text
from tailc.specs.auto_settings import AutoChoice
from tests.tailc import texts
from tests.tailc.policies.slow_to_fast.case import swapped, write
from tests.tailc.schemas import validate_compiled
from tests.tailc.tuning.short import short_searches

CONTROL = "control: {epoch: 50 requests, window: 200 requests}\n"
QUICK = swapped((CONTROL, "search: {effort: quick}\n"))
# One request is done in time on the slow core, and not where it waits for another.
CLOCKS = texts.swapped(
    QUICK,
    ("  power_from: micro-2017-amp\n", ""),
    (
        "  types: [{speed: 1, count: 5}, {speed: 2, count: 2}]",
        "  dvfs:\n    count: 2\n"
        "    levels: [{frequency: 1GHz, power: 1W}, {frequency: 2GHz, power: 5W}]",
    ),
    ("rates: [20/s, 80/s]", "rates: [5/s, 40/s]"),
    ("latency: 80ms", "latency: 120ms"),
)


@pytest.fixture(scope="module", autouse=True)
def _short():
    with short_searches():
        yield


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Of each spec the policy, and beside it the estimates at its rates."""
    return {
        name: compile_policy(
            str(write(tmp_path_factory.mktemp(name), spec).spec), threads=2, judging=Judging()
        )
        for name, spec in {"cores": QUICK, "clocks": CLOCKS}.items()
    }


@pytest.mark.parametrize("name", ["cores", "clocks"])
def test_the_slo_is_kept_at_each_rate_for_no_more_energy_than_by_hand(compiled, name):
    rows = compiled[name].policy.evidence.estimates.rows
    limit_us = compiled[name].policy.slos[0].latency_us
    assert len(rows) == 2
    for row in rows:
        assert row.tail_us <= 1.02 * limit_us
        assert row.by_hand.cost_change_ppm < 30_000 or row.by_hand.tail_us > 0.98 * limit_us


@pytest.mark.parametrize("name", ["cores", "clocks"])
def test_a_table_needs_no_controller_and_says_how_it_was_found(compiled, name):
    policy = compiled[name].policy
    assert policy.controller is None
    assert policy.evidence.method == "auto"
    result = compiled_result(compiled[name])
    validate_compiled(result, "compile_cores")
    assert result["best"]["is_safe"]


def test_on_few_rows_the_table_is_judged_on_its_own_requests(compiled):
    codes = {finding.code for finding in compiled["cores"].findings}
    assert Code.JUDGED_ON_OWN in codes


def test_no_byte_depends_on_the_number_of_threads(tmp_path, compiled):
    again = compile_policy(str(write(tmp_path, CLOCKS).spec), threads=1, judging=Judging())
    assert encode_json(again.policy) == encode_json(compiled["clocks"].policy)


def test_a_setting_by_hand_that_wins_is_written_and_named(tmp_path):
    """Where slow cores keep the SLO by themselves, no climb saves energy."""
    lax = texts.swapped(QUICK, ("latency: 80ms", "latency: 400ms"), ("20/s, 80/s", "20/s"))
    found = compile_policy(str(write(tmp_path, lax).spec), threads=2, judging=Judging())
    (chosen,) = found.additions_of(AutoResult)
    assert not chosen.best.is_searched
    (warning,) = [one for one in found.findings if one.code is Code.NO_BETTER_TABLE]
    assert "the search found no table that is better than" in warning.message
    (climbs,) = {row.climbs for row in found.policy.ladders[0].rows}
    assert [climb.rung for climb in climbs] == [0]
    assert "of the formula's table" not in compiled_text(found, [])


def spec_of(folder, *changes):
    return open_kind(str(write(folder, texts.swapped(QUICK, *changes)).spec)).spec


@pytest.mark.parametrize(
    ("search", "method"),
    [
        ("search: {effort: quick}", "auto"),
        ("search: {objective: tail}", "auto"),
        ("control: off", "auto"),
        ("search: {objective: efficiency}", None),
        ("search: {method: dual}", "dual"),
        ("control: pi", None),
        ("control: {intervals: 2}", None),
    ],
)
def test_a_controller_or_a_method_that_is_stated_is_what_is_made(tmp_path, search, method):
    assert spec_of(tmp_path, ("search: {effort: quick}", search)).method == method


@pytest.mark.parametrize(
    ("search", "is_controlled"),
    [
        ("search: {method: dual}", True),
        ("search: {effort: quick}", False),
        ("control: pi", True),
        ("search: {method: auto}\ncontrol: pi", True),
        ("search: {method: auto}\ncontrol: off", False),
    ],
)
def test_the_default_controller_is_the_formula_s_alone(tmp_path, search, is_controlled):
    spec = spec_of(tmp_path, ("search: {effort: quick}", search))
    assert spec.is_controlled is is_controlled


def test_without_rates_there_is_nothing_to_replay(tmp_path):
    changes = ("search: {effort: quick}", "control: off"), ("rates: [20/s, 80/s]\n", "")
    assert spec_of(tmp_path, *changes).method is None


@pytest.mark.parametrize(
    ("search", "said"),
    [
        (
            "search: {method: auto, objective: efficiency}",
            "supports only the objective `energy` or `tail`",
        ),
        ("search: {method: dual, effort: quick}", "applies only to the method `auto`"),
        ("search: {requests: 2000000}", "applies only to the method `simulation`"),
        (
            "search: {method: auto, objective: tail}\ncontrol: pi",
            "`control` is given, but the ages of the method `auto`",
        ),
        (
            "search: {method: simulation}\ncontrol: pi",
            "`control` is given, but the ages of the method `simulation`",
        ),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, search, said):
    with pytest.raises(TailcError) as caught:
        spec_of(tmp_path, ("search: {effort: quick}", search))
    assert said in " ".join(finding.message for finding in caught.value.findings)


def test_the_least_tail_is_no_longer_than_that_of_the_fastest_cores_first(tmp_path):
    spec = texts.swapped(QUICK, ("effort: quick", "effort: quick, objective: tail"))
    found = compile_policy(str(write(tmp_path, spec).spec), threads=2, judging=Judging())
    for row in found.policy.evidence.estimates.rows:
        assert row.by_hand.change_ppm < 20_000


STEERED = texts.swapped(
    QUICK, ("search: {effort: quick}\n", f"search: {{effort: quick, method: auto}}\n{CONTROL}")
)


def with_controller(folder):
    spec = write(folder, STEERED).spec
    return compile_policy(str(spec), threads=2, judging=Judging(allows_misses=True))


def test_a_controller_that_is_worse_on_resamples_is_left_out_and_named(tmp_path):
    """At a constant rate the controller takes noise for news, and that costs energy."""
    found = with_controller(tmp_path)
    assert found.policy.controller is None
    assert len(found.policy.ladders[0].rows) > 1
    (warning,) = [one for one in found.findings if one.code is Code.CONTROLLER_LEFT_OUT]
    assert "with it the policy is worse in 20% of the resamples" in warning.message
    assert found.additions_of(AutoResult)
    assert not found.additions_of(TunedController)
    rows = found.policy.evidence.estimates.rows
    assert all(row.by_hand.cost_change_ppm < 30_000 for row in rows)


def test_a_controller_that_is_no_worse_stays(tmp_path, monkeypatch):
    """Compared with the fastest cores first, which cost far more."""
    monkeypatch.setattr("tailc.pipeline.passes.best_table.best_policy", fastest_first)
    found = with_controller(tmp_path)
    assert found.policy.controller is not None
    assert found.additions_of(TunedController)
    assert not found.additions_of(AutoResult)
    assert Code.CONTROLLER_LEFT_OUT not in {one.code for one in found.findings}
    settings = dict(found.policy.evidence.settings)
    assert "interval_1_delay_epochs" in settings
    assert settings["controller_change_ppm"] < 0
    assert settings["controller_loss_ppm"] == 0
    assert settings["kept_out"] == int(settings["judged_on"] >= 1_000)


def fastest_first(policy, *_):
    """In place of the best table: each request begins on the fastest type."""
    (own,) = policy.ladders
    at_once = replace(own.rows[0], climbs=(Climb(0, len(own.rungs) - 1),))
    option = Option("fastest", replace(own, rows=(at_once,)))
    best = Best(option, (option,), 0.0, True, None, 0, 0)
    chosen = AutoResult(best, AutoChoice("quick", 50_000), False, 1)
    return replace(policy, forms=(option.table,)), chosen


def test_the_stated_controller_alone_is_replayed_with_it_and_compared(tmp_path):
    """The estimates are those of a policy with its controller, and `S2F` is its ages without."""
    spec = write(tmp_path, swapped()).spec
    found = compile_policy(str(spec), threads=2, judging=Judging(allows_misses=True))
    assert found.policy.controller is not None
    bare = replace(found.policy, forms=found.policy.forms[:1])
    held = in_sample(found.design)
    again, _ = with_estimates(bare, held, Effort.NORMAL, 2, silent)
    for own, without in zip(
        found.policy.evidence.estimates.rows, again.evidence.estimates.rows, strict=True
    ):
        assert own.tail_us != without.tail_us
