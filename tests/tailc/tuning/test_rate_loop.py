"""Freedoms that are taken only where the highest rate is higher with them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tailc.errors import Code, TailcError
from tailc.experiment.sizes import VALIDATION, Size
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.progress import silent
from tailc.tuning.evidence import tuning_warnings
from tailc.tuning.rate_loop import RateLoop
from tailc.tuning.search import SearchResult
from tailc.tuning.tuned_table import TunedTable
from tests.tailc.tuning.case import MS
from tests.tailc.tuning.tail_loop_case import (
    ALONE,
    FREE,
    GOOD,
    HASTY,
    PARTS,
    problem_for,
)


def objective_of(limit_ms: int) -> TuningObjective:
    """The highest rate between 20 and 130 a second at which one in twenty takes longer."""
    limit_us = limit_ms * MS
    aim = TuningObjective(950_000, (20_000, 130_000), (1, 1), 8_000_000, optional_rules=FREE)
    return replace(aim, criterion=Criterion.RATE, target_us=limit_us, limit_us=limit_us)


AIM = objective_of(94)


@pytest.fixture
def finds(monkeypatch):
    """Searches that end with a table each, without and with optional rules; replays are short."""
    monkeypatch.setattr("tailc.tuning.samples.VALIDATION", Size(1, VALIDATION.repeats))
    monkeypatch.setattr("tailc.tuning.search._FEWEST_REQUESTS", 2_000)

    def those(plain, free, aim=AIM):
        def searched(problem, _load, _rates, aim, _workers, _progress):
            begun.append((problem.base, aim.optional_rules, aim.most_requests))
            return SearchResult((free if aim.optional_rules else plain,), 3, 1_000, True)

        begun: list[tuple[object, object, int]] = []
        monkeypatch.setattr("tailc.tuning.rate_loop.search_for_rate", searched)
        with ThreadPoolExecutor(2) as workers:
            return RateLoop(problem_for, PARTS, workers).run(aim, silent), begun

    return those


def test_half_of_the_budget_goes_to_each_and_the_second_begins_with_the_first(finds):
    (found, _), begun = finds(GOOD, GOOD)
    half = AIM.most_requests // 2
    assert begun == [(ALONE, (), half), (GOOD, FREE, half)]
    assert (found.searched.evaluations, found.searched.requests) == (6, 2_000)


@pytest.mark.parametrize(("free", "pays"), [(GOOD, True), (HASTY, False)])
def test_the_table_of_the_higher_rate_is_taken(finds, free, pays):
    plain = HASTY if pays else GOOD
    (found, taken), _ = finds(plain, free)
    assert taken is pays
    assert found.validated.table == GOOD
    assert found.validated.is_better
    assert found.raised.is_better


def test_what_has_a_lower_rate_with_other_demand_is_not_taken(finds, monkeypatch):
    """With a fifth less work one thread keeps the percentile at more requests than three do."""
    (_, pays), _ = finds(ALONE, HASTY)
    assert pays
    monkeypatch.setattr("tailc.tuning.rate_loop.longer_by_chance", lambda _load: 0.8)
    (found, pays), _ = finds(ALONE, HASTY)
    assert not pays
    assert found.validated.table == ALONE


def test_that_the_tuned_table_has_no_freedoms_is_told_by_its_rate(finds):
    (found, pays), _ = finds(GOOD, HASTY)
    told = TunedTable(AIM, found.validated, 6, 2_000, True, 2_000, True, raised=found.raised)
    (remark,) = tuning_warnings(replace(told, uses_optional_rules=pays))
    assert "higher rate than the tuned one, also" in remark.message
    assert remark.help == "remove `search.optional_rules`, or raise `search.requests`"


def test_where_no_table_keeps_the_lowest_rate_there_is_no_answer(finds):
    with pytest.raises(TailcError) as refused:
        finds(ALONE, HASTY, objective_of(30))
    (finding,) = refused.value.findings
    assert finding.code is Code.INFEASIBLE
