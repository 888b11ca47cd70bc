"""The default method of rubik: no fixed frequency is better than the policy at any rate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.errors import Code
from tailc.experiment.options import VerifyOptions
from tailc.forms.fixed_frequency import fixed_level
from tailc.pipeline.auto.choice import AutoResult
from tailc.pipeline.auto.clocks import ClockPolicy, _prefer_feedback
from tailc.pipeline.auto.comparison import ComparedTable
from tailc.pipeline.auto.rivals import Option
from tailc.pipeline.compilation import Judging
from tailc.pipeline.compile import compile_policy
from tailc.report.compile_report import compiled_result, compiled_text
from tailc.studies.held_out import read_held_out
from tailc.tuning.core_queues_space import with_bound_scaled
from tailc.verify.judge import verify
from tests.tailc.policies.rubik.case import swapped, write
from tests.tailc.tuning.short import short_searches

PAPER = "search: {method: paper}\n"
DEFAULT = swapped((PAPER, "search: {effort: quick}\n"))
RATES = "rates: [500/s, 2000/s]"
ONE_RATE = swapped((PAPER, "search: {effort: quick}\n"), (RATES, "rates: [2000/s]"))
EASY = swapped((PAPER, "search: {effort: quick}\n"), ("latency: 3ms", "latency: 60ms"))


def compiled(folder, spec, **overrides):
    path = str(write(folder, spec).spec)
    return compile_policy(path, overrides=overrides, threads=2, judging=Judging(allows_misses=True))


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("quick"), DEFAULT)


@pytest.fixture(scope="module")
def easy(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("easy"), EASY)


def test_a_spec_with_rates_has_the_method_auto(quick):
    (chosen,) = quick.additions_of(AutoResult)
    assert chosen.best.is_safe
    assert all(name.startswith("fixed at ") for name in names(chosen))


def names(chosen):
    return [one.name for one in chosen.best.others]


def test_no_fixed_frequency_is_cheaper_within_the_slo(quick):
    """At 500/s the lowest frequency keeps it, and the feedback raises it hardly ever."""
    low, high = quick.policy.evidence.estimates.rows
    assert max(low.tail_us, high.tail_us) <= 3_000
    assert low.by_hand.cost_change_ppm < 5_000
    assert high.by_hand.cost_change_ppm < -30_000


def test_the_feedback_is_kept_where_nothing_costs_clearly_less(quick):
    (chosen,) = quick.additions_of(AutoResult)
    assert chosen.best.option.name == "formula with feedback"
    assert quick.policy.controller is not None
    assert (quick.policy.evidence.method, quick.policy.evidence.rows) == ("separate", ())


def test_where_the_lowest_frequency_keeps_the_slo_at_every_rate_it_is_as_cheap(easy):
    """The SLO is twenty times what any frequency needs; no policy can run below the lowest."""
    energies = [row.by_hand.cost_change_ppm for row in easy.policy.evidence.estimates.rows]
    assert all(change_ppm <= 0 for change_ppm in energies)


def test_without_feedback_none_is_tried(tmp_path):
    spec = swapped(
        ("feedback: {epoch: 20ms, window: 80ms}\n", "feedback: off\n"),
        (PAPER, "search: {effort: quick}\n"),
    )
    found = compiled(tmp_path, spec)
    assert found.policy.controller is None
    (chosen,) = found.additions_of(AutoResult)
    assert chosen.best.option.name != "formula with feedback"


@pytest.fixture(scope="module")
def fixed(tmp_path_factory):
    """What a compile writes where the formula's table always asks for the highest frequency."""
    folder = tmp_path_factory.mktemp("fixed")

    def hasty(own):
        return [Option("formula", ClockPolicy(with_bound_scaled(own.table, 10_000)))]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tailc.pipeline.auto.clocks._published_tables", hasty)
        found = compiled(folder, ONE_RATE)
    return folder, found


def test_a_fixed_frequency_that_is_taken_is_a_table_and_said(fixed):
    _, found = fixed
    table = found.policy.tail_table
    level = fixed_level(table)
    assert level is not None
    assert (found.policy.controller, found.policy.evidence.method) == (None, "auto")
    (told,) = [one for one in found.findings if one.code is Code.NO_BETTER_TABLE][:1]
    assert told.message.startswith("no table was found that is better than `fixed at ")
    assert "auto       fixed at " in compiled_text(found, [])
    assert compiled_result(found)["best"]["table"].startswith("fixed at ")


def test_its_verdict_is_that_of_the_baseline(fixed):
    """The replay of the table, and that of cores at one clock, are the same to the nanosecond."""
    folder, found = fixed
    policy = found.policy
    table = policy.tail_table
    khz = table.levels[fixed_level(table)].frequency_khz
    held_out = read_held_out(policy, str(folder / "heldout.csv")).profile
    options = VerifyOptions(
        baselines=(f"fixed-{khz}kHz",), requests_per_replay=2_000, repeats=2, replicates=49
    )
    for point in verify(policy, held_out, options).points:
        own, other = (one.estimates[0] for one in (point.policy, *point.baselines))
        assert own.estimate_us == other.estimate_us


def test_one_frequency_leaves_nothing_to_choose(tmp_path):
    spec = swapped(
        (PAPER, ""),
        (
            "range: {from: 0.8GHz, to: 3.4GHz, step: 0.2GHz, "
            "power: {static: 0.5W, dynamic: 6W, at: 2.4GHz}}",
            "levels: [{frequency: 3.4GHz, power: 9W}]",
        ),
    )
    assert compiled(tmp_path, spec).additions_of(AutoResult) == ()


def test_a_search_is_made_with_more_effort(tmp_path):
    with short_searches():
        found = compiled(tmp_path, swapped((PAPER, ""), (RATES, "rates: [2000/s]")))
    (chosen,) = found.additions_of(AutoResult)
    assert chosen.best.requests > 0


def test_the_same_spec_gives_the_same_policy(quick, tmp_path):
    again = compiled(tmp_path, DEFAULT).policy
    assert replace(again, evidence=quick.policy.evidence) == quick.policy


def test_such_a_policy_is_written_and_read(tmp_path, fixed):
    policy = fixed[1].policy
    write_policy(policy, str(tmp_path / "p"))
    assert read_policy(str(tmp_path / "p")).same_policy(policy)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "search: {method: paper, effort: quick}",
            ("`search.effort` applies only to the method"),
        ),
        (
            "search: {method: simulation, risk: 1%}",
            ("`search.risk` applies only to the method `auto`"),
        ),
        (
            "search: {requests: 9000000}",
            "`search.requests` applies only to the method `simulation`",
        ),
        (
            "search: {method: simulation}\nbatch: {memory: 30%}",
            "is `simulation`, which tunes one table, but with `batch`",
        ),
        (
            "search: {method: paper, effort: quick}\nbatch: {memory: 30%}",
            "`search.effort` applies only to",
        ),
    ],
)
def test_what_goes_with_another_method_is_refused(words, said, tmp_path, refusal):
    assert said in refusal(write(tmp_path, swapped((PAPER, f"{words}\n"))).spec)


def test_where_no_frequency_keeps_the_slo_none_is_taken_that_misses_it_by_more(tmp_path):
    spec = swapped((PAPER, "search: {effort: quick}\n"), (RATES, "rates: [8000/s]"), ("3ms", "2ms"))
    (row,) = compiled(tmp_path, spec).policy.evidence.estimates.rows
    assert row.by_hand.name == "fixed at 3.4 GHz"
    assert row.by_hand.change_ppm < 20_000


def compared(name, loss_share, regret, *, is_safe=False, change=0.0):
    policy = ClockPolicy(name, "controller" if "feedback" in name else None)
    return ComparedTable(Option(name, policy), loss_share, regret, change, is_safe, (True,))


@pytest.mark.parametrize(
    ("found", "taken"),
    [
        ([("open", 0.3, 0.1), ("feedback", 0.1, 0.2)], "feedback"),
        ([("open", 0.1, 0.3), ("feedback", 0.1, 0.2)], "feedback"),
        ([("open", 0.1, 0.1), ("feedback", 0.2, 0.0)], "open"),
    ],
)
def test_without_a_safe_policy_the_one_that_loses_in_the_fewest_resamples_is_taken(found, taken):
    assert _prefer_feedback([compared(*each) for each in found]).option.name == taken


@pytest.mark.parametrize(
    ("found", "taken"),
    [
        ([("open", 0.95, 0.3), ("feedback", 1.0, 0.1)], "feedback"),
        ([("open", 1.0, 0.1), ("feedback", 0.55, 0.2)], "open"),
        ([("open", 0.5, 0.3), ("feedback", 0.9, 0.1)], "feedback"),
        ([("open", 0.45, 0.3), ("feedback", 0.9, 0.1)], "open"),
    ],
)
def test_where_each_loses_in_most_resamples_the_least_regret_decides(found, taken):
    assert _prefer_feedback([compared(*each) for each in found]).option.name == taken


@pytest.mark.parametrize(("change", "taken"), [(-0.09, "feedback"), (-0.07, "open")])
def test_a_safe_feedback_may_cost_a_little_more(change, taken):
    found = [
        compared("open", 0.0, 0.0, is_safe=True, change=-0.1),
        compared("feedback", 0.0, 0.0, is_safe=True, change=change),
    ]
    assert _prefer_feedback(found).option.name == taken
