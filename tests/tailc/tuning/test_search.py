"""Stages of a search end where looks show that they have settled, and count what they take."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.evolution import EvolutionResult

from tailc.experiment.tuning_objective import TailConstraint, TuningObjective
from tailc.tuning import convergence
from tailc.tuning import search as search_module
from tailc.tuning.convergence import ConvergenceCheck
from tailc.tuning.operating_point import operating_points
from tailc.tuning.search import least_budget, search_tables
from tailc.tuning.shared_cores_space import MOST_STARTS, shared_cores_space
from tailc.tuning.tuning_problem import TuningProblem, ladder_subject
from tests.tailc.tuning.case import CORES, MS, exponential, ladder

AIM = TuningObjective(950_000, (60_000,), (1,), 10_000_000)
LOAD = exponential(2_000, 30.0)
LATE = ladder((500 * MS, 1_000 * MS))
APPROACH = TuningProblem(
    base=LATE,
    load=LOAD,
    cores=CORES,
    capacity_of=lambda _load: float(CORES),
    capacity_condition="",
    subject_of=ladder_subject,
    search_space=lambda tail_us: shared_cores_space(LATE, tail_us, CORES),
    starts=MOST_STARTS,
)


PART = 6


@pytest.fixture
def smaller_trials(monkeypatch):
    """A sixth of the requests in each trial, so that a sixth of a budget has as many of them."""
    for name in ("_FIRST", "_COARSE", "_FINE"):
        stage = getattr(search_module, name)
        monkeypatch.setattr(search_module, name, replace(stage, requests=stage.requests // PART))


def search(progress=lambda _doing, _share: None, aim=AIM, problem=APPROACH):
    with ThreadPoolExecutor(2) as workers:
        return search_tables(problem, operating_points(LOAD, aim), aim, workers, progress)


def test_a_trial_has_5_000_requests_and_50_beyond_the_percentile_at_least():
    """Six searches of five generations of ten have a fifth of the budget."""
    assert least_budget(AIM, 6) == 6 * 5 * 10 * 5_000 * 5
    assert least_budget(replace(AIM, percentile_ppm=995_000), 6) == 6 * 5 * 10 * 10_000 * 5


def test_a_search_that_goes_on_ends_with_its_budget(monkeypatch):
    monkeypatch.setattr(ConvergenceCheck, "has_settled_since", lambda _self, _before: False)
    found = search()
    assert not found.has_settled
    assert 0.75 * AIM.most_requests < found.requests <= AIM.most_requests


@pytest.mark.usefixtures("smaller_trials")
def test_a_search_that_has_settled_leaves_the_rest_of_its_budget(monkeypatch):
    """Each stage then ends at its second look, a third of its way."""
    monkeypatch.setattr(convergence, "_WORTH", 1.0)
    aim = replace(AIM, most_requests=100_000_000 // PART)
    found = search(aim=aim)
    assert found.has_settled
    assert 0.3 * aim.most_requests < found.requests < 0.6 * aim.most_requests


@pytest.fixture(scope="module")
def told():
    """What the progress says."""
    shared_cores_space: list[str] = []
    search(lambda doing, _share: shared_cores_space.append(doing))
    return shared_cores_space


def test_the_progress_has_an_interval_about_what_it_tells(told):
    pattern = r"tuning the table, tail (.*)% \((.*)% \.\. (.*)%\) of the formula's"
    found = [re.fullmatch(pattern, line) for line in told]
    ends = [tuple(map(float, one.groups())) for one in found if one is not None]
    assert len(ends) == len(told)
    assert all(low <= value <= high for value, low, high in ends)
    value, low, high = ends[-1]
    assert low < value < high


def test_what_the_progress_tells_becomes_better(told):
    first, last = (float(re.findall(r"tail (.*?)%", line)[0]) for line in (told[0], told[-1]))
    assert last < 0.95 * first


COARSE = shared_cores_space(LATE, 300 * MS, CORES)
BEFORE_ALL = tuple(COARSE.starts())


@pytest.fixture
def begun(monkeypatch):
    """Where searches begin that find nothing better; each says that those before it are better.

    Looks say that the fifth, second and fourth are, and in the end the last of these.
    """
    best = [COARSE.table(BEFORE_ALL[at]) for at in (4, 1, 3)]
    seen = []

    def standing(_values_of, start, *_spread, **_how):
        seen.append(start)
        return EvolutionResult(start, float(len(seen)), 1)

    def check(_checks, table):
        order = best if len(seen) <= len(BEFORE_ALL) else best[::-1]
        return ConvergenceCheck(np.full(11, 1.0 + order.index(table) if table in order else 9.0))

    monkeypatch.setattr(search_module, "minimise_by_evolution", standing)
    monkeypatch.setattr(convergence.ConvergenceChecks, "check", check)
    return seen


STANDING = replace(APPROACH, search_space=lambda _tail_us: COARSE)


def test_of_several_searches_those_that_are_best_on_other_requests_go_on(begun):
    """What each says of its own requests does not count."""
    found = search(problem=STANDING)
    carried = [COARSE.table(start) for start in begun[len(BEFORE_ALL) : -1]]
    assert carried == [COARSE.table(BEFORE_ALL[at]) for at in (4, 1, 3)]
    assert len(begun) == len(BEFORE_ALL) + 3 + 1
    assert found.tables[0] == carried[-1]


def test_where_objectives_are_kept_besides_their_own_requests_choose(begun):
    """On others chance decides whether they are missed, which counts more than anything else."""
    aim = replace(AIM, objectives=(TailConstraint(500_000, 100 * MS),))
    found = search(aim=aim, problem=STANDING)
    carried = [COARSE.table(start) for start in begun[len(BEFORE_ALL) : -1]]
    assert carried == [COARSE.table(BEFORE_ALL[at]) for at in (0, 1, 2)]
    assert found.tables[0] == carried[0]


@pytest.mark.usefixtures("smaller_trials")
def test_a_search_that_keeps_objectives_besides_does_not_settle(monkeypatch):
    monkeypatch.setattr(ConvergenceCheck, "has_settled_since", lambda _self, _before: True)
    aim = replace(AIM, most_requests=60_000_000 // PART)
    assert search(aim=aim).has_settled
    besides = (TailConstraint(500_000, 100 * MS),)
    assert not search(aim=replace(aim, objectives=besides)).has_settled
