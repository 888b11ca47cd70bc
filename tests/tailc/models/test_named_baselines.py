"""Baselines by name: found in folders, chosen by rank, and refused with what is near."""

import importlib
import pkgutil
from typing import final

import pytest

from tailc.errors import Code, TailcError
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.named_baselines import Folder, NamedBaseline, choose_names, folder_in
from tailc.models.request_baselines import Baseline
from tailc.models.rule_baselines import RuleBaseline, RuleBaselines, rules_in
from tailc.units import QuantityError, QuantityFault

FOR_REQUESTS = ("shared_cores", "core_types", "smt", "core_queues")
OF_RULES = ("rigid_jobs", "malleable_jobs", "cpu_shares")


@final
class Early(RuleBaseline[str]):
    syntax = Syntax("early[-N]")
    about, rank = "comes first", 10
    examples, is_default = ("early", "early-3"), True

    def make(self, values: NameValues) -> str:
        if values.get(Placeholder.NUMBER) == 9:
            raise QuantityError(QuantityFault.OUT_OF_RANGE, "nobody is so early", "at most 8")
        return f"early by {values.get(Placeholder.NUMBER)}"


@final
class Late(RuleBaseline[str]):
    syntax = Syntax("late")
    about, rank = "comes second", 20
    examples, is_default = ("late",), True

    def make(self, values: NameValues) -> str:  # noqa: ARG002
        return "late one"


@final
class Odd(RuleBaseline[str]):
    syntax = Syntax("odd-one")
    about, rank = "must be named", 30
    examples, is_default = ("odd-one",), False

    def make(self, values: NameValues) -> str:  # noqa: ARG002
        return "odd one"


TRAINS: RuleBaselines[str] = RuleBaselines(Folder((Early(), Late(), Odd()), "of trains"))


def test_where_none_is_named_the_defaults_are_chosen_by_rank():
    assert TRAINS.choose(None) == ("early", "late")
    assert TRAINS.choose(()) == ()
    assert TRAINS.choose(["odd-one", "early-5", "odd-one"]) == ("odd-one", "early-5")


def test_all_are_the_defaults_and_each_is_chosen_once():
    assert TRAINS.choose(["late", "all"]) == ("late", "early")


def test_first_is_the_first_of_those_and_is_chosen_once():
    assert TRAINS.choose(["first", "early", "odd-one"]) == ("early", "odd-one")


def test_defaults_are_not_looked_up_where_all_are_named():
    def unasked():
        raise AssertionError

    assert choose_names(["late"], unasked, TRAINS.make_rule) == ("late",)


def test_a_name_is_made_whatever_its_case_and_with_its_value():
    assert TRAINS.make_rule("ODD-one ") == "odd one"
    assert TRAINS.make_rule("early") == "early by None"
    assert TRAINS.make_rule("early-12") == "early by 12"


@pytest.mark.parametrize("name", ["erly", "early-", "an-early-3", "early-x", ""])
def test_another_name_is_refused_with_the_names_there_are(name):
    with pytest.raises(TailcError) as caught:
        TRAINS.choose([name])
    (finding,) = caught.value.findings
    assert finding.code is Code.USAGE
    assert "of trains" in finding.message
    assert "`early-3`" in (finding.help or "")


def test_every_name_that_is_refused_is_told_at_once():
    with pytest.raises(TailcError) as caught:
        TRAINS.choose(["soon", "late", "later-still"])
    messages = [finding.message for finding in caught.value.findings]
    assert messages == [
        "there is no baseline `soon` of trains",
        "there is no baseline `later-still` of trains",
    ]


def test_the_nearest_name_is_offered():
    with pytest.raises(TailcError) as caught:
        TRAINS.make_rule("latte")
    assert "did you mean `late`?" in (caught.value.findings[0].help or "")


def test_a_value_that_cannot_be_is_refused_with_one_that_can():
    with pytest.raises(TailcError) as caught:
        TRAINS.make_rule("early-9")
    (finding,) = caught.value.findings
    assert finding.message == "baseline `early-9`: nobody is so early"
    assert finding.help == "at most 8"


def test_a_value_behind_a_name_that_takes_none_is_refused_with_its_syntax():
    with pytest.raises(TailcError) as caught:
        TRAINS.make_rule("odd-one-7")
    (finding,) = caught.value.findings
    assert finding.message == (
        "there is no baseline `odd-one-7` of trains: `odd-one` takes no parameter"
    )
    assert finding.help == "write `odd-one`"


@pytest.mark.parametrize("model", FOR_REQUESTS + OF_RULES)
def test_every_file_of_a_folder_is_one_baseline_with_a_name_and_a_rank_of_its_own(model):
    package = f"tailc.models.{model}.baselines"
    files = list(pkgutil.iter_modules(importlib.import_module(package).__path__))
    found = folder_in(package).baselines
    kind = Baseline if model in FOR_REQUESTS else RuleBaseline
    assert len(found) == len(files)
    assert all(isinstance(one, kind) for one in found)
    assert [one.rank for one in found] == sorted({one.rank for one in found})
    assert len({one.syntax.name for one in found}) == len(found)
    assert all(_is_final(one) and one.about for one in found)


def _is_final(one: NamedBaseline) -> bool:
    return getattr(type(one), "__final__", False)


@pytest.mark.parametrize("model", OF_RULES)
def test_every_example_of_a_rule_can_be_made(model):
    rules = rules_in(f"tailc.models.{model}.baselines")
    assert rules.defaults
    for one in rules.folder.baselines:
        for example in one.examples:
            assert one.syntax.read(example) is not None
            assert rules.make_rule(example) is not None
