"""Freedoms that are taken only where they pay."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tailc.errors import Code
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.progress import silent
from tailc.tuning.evidence import tuning_warnings
from tailc.tuning.loop import longer_by_chance
from tailc.tuning.search import SearchResult, least_budget
from tailc.tuning.shared_cores_space import MOST_STARTS
from tailc.tuning.tail_loop import TailLoop
from tailc.tuning.tuned_table import TunedTable
from tests.tailc.tuning.tail_loop_case import ALONE, FREE, GOOD, HASTY, LOAD, PARTS, problem_for

AIM = TuningObjective(950_000, (85_000,), (1,), 8_000_000, optional_rules=FREE)


@pytest.fixture
def finds(monkeypatch):
    """Searches that end with a table each, without and with optional rules."""

    def those(plain, free, aim=AIM):
        def searched(problem, _scenes, aim, _workers, _progress):
            begun.append((problem.base, aim))
            return SearchResult((free if aim.optional_rules else plain,), 3, 1_000, True)

        begun: list[tuple[Any, TuningObjective]] = []
        monkeypatch.setattr("tailc.tuning.tail_loop.search_tables", searched)
        with ThreadPoolExecutor(2) as workers:
            return TailLoop(problem_for, PARTS, workers).run(aim, silent), begun

    return those


def test_half_of_the_budget_goes_to_each_and_the_second_begins_with_the_first(finds):
    (found, _), begun = finds(GOOD, GOOD)
    (first, plain), (second, free) = begun
    assert (plain.optional_rules, free.optional_rules) == ((), FREE)
    assert plain.most_requests == free.most_requests == AIM.most_requests // 2
    assert (first, second) == (ALONE, GOOD)
    assert (found.searched.evaluations, found.searched.requests) == (6, 2_000)


def test_what_is_better_than_the_formula_s_but_not_than_the_other_is_not_taken(finds):
    (found, has_rules), _ = finds(GOOD, GOOD)
    assert found.validated.is_better
    assert has_rules is False
    told = TunedTable(
        AIM, found.validated, 6, 2_000, True, 2_000, is_held_out=True, uses_optional_rules=False
    )
    (remark,) = tuning_warnings(told)
    assert remark.code is Code.NO_BETTER_TABLE
    assert "no table with `search.optional_rules` was found" in remark.message
    (found, _), _ = finds(GOOD, HASTY)
    assert found.validated.table == GOOD


def test_what_is_better_than_both_is_taken(finds):
    (found, has_rules), _ = finds(ALONE, GOOD)
    assert has_rules
    assert found.validated.table == GOOD
    assert found.validated.gains[0].high_ppm < 0


def test_what_loses_where_all_demand_is_longer_is_not_taken(finds, monkeypatch):
    """At 20/s three threads at once are better than one, with four times the work they are not."""
    aim = replace(AIM, rates_mrps=(20_000,))
    (_, has_rules), _ = finds(ALONE, HASTY, aim)
    assert has_rules
    monkeypatch.setattr("tailc.tuning.tail_loop.longer_by_chance", lambda _load: 4.0)
    (found, has_rules), _ = finds(ALONE, HASTY, aim)
    assert has_rules is False
    assert found.validated.table == ALONE


def test_the_mean_of_another_sample_may_be_two_standard_errors_longer():
    """Of an exponential law the deviation is the mean, and here there are 2,000 requests."""
    assert longer_by_chance(LOAD) == pytest.approx(1 + 2 / np.sqrt(2_000), rel=2e-3)


def test_who_looks_twice_needs_twice_the_requests():
    once = least_budget(replace(AIM, optional_rules=()), MOST_STARTS)
    assert least_budget(AIM, MOST_STARTS) == 2 * once
    for_rate = replace(
        AIM, criterion=Criterion.RATE, rates_mrps=(1, 2), weights=(1, 1), target_us=1, limit_us=1
    )
    # Of two rates.
    assert least_budget(for_rate, MOST_STARTS) == 2 * 2 * once
