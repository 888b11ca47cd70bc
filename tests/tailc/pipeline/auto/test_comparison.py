"""Which of the compared tables is taken."""

from __future__ import annotations

from dataclasses import astuple, replace
from itertools import pairwise

import numpy as np
import pytest

from tailc.pipeline.auto import best, comparison, tail_choice
from tailc.pipeline.auto.best import fallbacks
from tailc.pipeline.auto.choice import AutoResult
from tailc.pipeline.auto.comparison import (
    ComparedTable,
    Comparison,
    UnsafeTable,
    best_compared,
    forgone,
    least_regret,
)
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.rivals import Option
from tailc.pipeline.compile import compile_policy
from tests.tailc.models.shared_cores.servers import at_once, ladder

OPTION = Option("table", ladder(at_once((0, 0))))
SAFE = ComparedTable(OPTION, 0.0, regret=0.3, change=-0.05, is_safe=True, keeps=(True,))
SHORTER = replace(SAFE, regret=0.4, change=-0.10)
RISKY = replace(SAFE, regret=0.1, change=-0.20, is_safe=False)
RISKIER = replace(RISKY, regret=0.2, change=-0.30)


def test_the_safe_table_with_the_shortest_tails_is_taken():
    assert best_compared([RISKY, SAFE, SHORTER]) is SHORTER


def test_without_a_safe_table_the_one_with_least_regret_is_taken():
    assert best_compared([RISKIER, RISKY]) is RISKY
    assert least_regret([SAFE, RISKIER, RISKY]) is RISKY


UNSAFE = replace(RISKY, change=-0.24, loss_share=0.3)


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ([SAFE, UNSAFE], UnsafeTable(0.2, 0.3)),
        ([SAFE, replace(UNSAFE, change=-0.1), UNSAFE], UnsafeTable(0.2, 0.3)),
        ([SAFE], None),
        ([SAFE, SHORTER], None),
        ([SAFE, replace(UNSAFE, change=-0.04)], None),
        ([SAFE, replace(UNSAFE, loss_share=0.0)], None),
        ([SAFE, replace(UNSAFE, keeps=(False,))], None),
    ],
)
def test_a_safe_table_forgoes_a_riskier_one_that_is_better_on_the_sample(tables, expected):
    found = forgone(SAFE, tables)
    assert (found and replace(found, gain=round(found.gain, 9))) == expected


SEARCHED = Option(best.SEARCHED, OPTION.table)


@pytest.mark.parametrize(
    ("tables", "wanted"),
    [
        ([SAFE], False),
        ([RISKY], True),
        ([SAFE, UNSAFE], True),
        ([SAFE, replace(UNSAFE, change=-0.04)], False),
        ([replace(SAFE, option=SEARCHED), UNSAFE], False),
        ([replace(SHORTER, option=SEARCHED), SAFE, UNSAFE], False),
        ([SHORTER, replace(SAFE, option=SEARCHED), UNSAFE], True),
    ],
)
def test_safer_variants_are_wanted_while_a_setting_by_hand_forgoes_a_better_table(tables, wanted):
    assert best._wants_fallbacks(tables) is wanted


def test_a_table_that_is_not_safe_forgoes_nothing_for_the_risk():
    assert forgone(RISKY, [RISKY, UNSAFE]) is None


@pytest.mark.parametrize(("share", "most", "rounds"), [(1.0, 3, 3), (1.0, 1, 1), (0.0, 3, 0)])
def test_fallbacks_are_compared_while_no_table_is_safe_and_no_table_twice(
    service, monkeypatch, share, most, rounds
):
    tried, compared, joined = [], [], []
    compare = Comparison.compare

    def recorded(table, *others):
        joined.append(table)
        tried.extend(fallbacks(table, *others))
        return tried

    def recording(comparison, options):
        compared.extend(option.table for option in options)
        return compare(comparison, options)

    monkeypatch.setattr(Effort, "budget", replace(Effort.QUICK.budget, rounds=most))
    monkeypatch.setattr(best, "fallbacks", recorded)
    monkeypatch.setattr(Comparison, "compare", recording)
    monkeypatch.setattr(comparison, "losses", lambda own, _: np.full(len(own), share))
    (chosen,) = compile_policy(str(service), threads=2).additions_of(AutoResult)
    assert len(joined) == rounds
    assert chosen.best.is_safe is not bool(rounds)
    assert len(compared) == len(set(compared)) > 1


def test_more_effort_is_less_of_nothing():
    for less, more in pairwise(effort.budget for effort in Effort):
        assert less != more
        for one, other in zip(_numbers(less), _numbers(more), strict=True):
            assert one <= other


def test_effort_sets_on_how_many_replays_tables_are_compared(service, monkeypatch):
    repeats = set()
    sample = comparison.validation_sample

    def recorded(*arguments):
        repeats.add(arguments[-1])
        return sample(*arguments)

    for room in (tail_choice, comparison):
        monkeypatch.setattr(room, "validation_sample", recorded)
    monkeypatch.setattr(Effort, "budget", replace(Effort.QUICK.budget, repeats=3, leanest=2))
    compile_policy(str(service), threads=2)
    assert repeats == {2, 3}


def _numbers(budget):
    *sizes, judging, tuned, rounds, joins_all = astuple(budget)
    return [*sizes, *judging, tuned, rounds, joins_all]
