"""Tail tables that are tuned for energy: against every table of a grid, and what they keep."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.forms.tail_table import TailRow
from tailc.models.core_queues.clocks import Clocks
from tailc.percentiles import PPM
from tailc.progress import silent
from tailc.traces.profile import DemandProfile, Measure
from tailc.tuning.clock_problem import clock_problem
from tailc.tuning.operating_point import operating_points
from tailc.tuning.sample_split import split_sample
from tailc.tuning.scaled_table import relax_to_limit, scale_to_limit
from tailc.tuning.tuned_table import tune_table
from tailc.tuning.tuning_sample import tuning_sample
from tests.tailc.models.core_queues.servers import GHZ, tail_table

MEAN_MS, LIMIT_US = 0.2, 600
PERCENTILE_PPM = 950_000
# Of a law that forgets: as much is left at any time.
ALONE, BEHIND_ONE = 600_000, 950_000
LEVELS = {"ghz": (1.0, 1.25, 1.5, 1.75, 2.0), "power_mw": (1_000, 1_700, 2_600, 3_900, 5_500)}
FORMULA = tail_table((0, ALONE, BEHIND_ONE), bound_us=LIMIT_US, **LEVELS)
AIM = TuningObjective(
    PERCENTILE_PPM,
    (2_500_000,),
    (1,),
    10_000_000,
    criterion=Criterion.ENERGY,
    target_us=LIMIT_US,
    limit_us=LIMIT_US,
)


def design(requests: int = 1_500) -> DemandProfile:
    """Demands at the middles of so many parts of the exponential law, in a mixed order."""
    at = (np.arange(requests) + 0.5) / requests
    demand_ms = np.random.default_rng(1).permutation(-MEAN_MS * np.log1p(-at))
    ones = np.ones(requests, np.int64)
    curve_of = np.zeros(requests, np.int32)
    one = np.array([[1.0]])
    return DemandProfile(demand_ms, ones, one, curve_of, (), Measure.DEMAND_CPU, "a core")


towards = partial(clock_problem, Clocks(FORMULA, GHZ), design())
APPROACH = towards(AIM)


@pytest.fixture(scope="module")
def workers():
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture(scope="module")
def trials(workers):
    return tried(workers, split_sample(APPROACH.load).judging, 7)


def tried(workers, load, seed):
    how = {"requests": 20_000, "repeats": 1, "seed": seed}
    subject_of = APPROACH.subject_of
    scenes = operating_points(load, AIM)
    return tuning_sample(scenes, PERCENTILE_PPM, 1, workers=workers, subject_of=subject_of, **how)


@pytest.fixture(scope="module")
def tuned():
    return tune_table(AIM, towards, 2, silent)


def test_no_table_of_a_grid_draws_less(tuned, trials, workers):
    """By bound, entry alone and entry behind one: the best on what the search saw, too.

    What both draw is told on the rest, each with the largest bound that keeps the tail there.
    """
    parts = np.linspace(0.4, 2.0, 9)
    grid = [
        replace(FORMULA, bound_us=round(LIMIT_US * bound), cycles=(TailRow(0, (alone, behind)),))
        for bound in parts
        for alone, behind in itertools.product(
            (round(ALONE * part) for part in parts), (round(BEHIND_ONE * part) for part in parts)
        )
        if alone <= behind
    ]
    seen = tried(workers, split_sample(APPROACH.load).tuning, 8).measure(grid)
    energy = np.where(seen.tail_us[:, 0, 0] <= LIMIT_US, seen.energy[:, 0, 0], np.inf)
    tables = tuned.table, grid[int(energy.argmin())], FORMULA
    largest = [relax_to_limit(APPROACH, table, trials, AIM).table for table in tables]
    ours, best, formula = trials.measure(largest).energy[:, 0, 0]
    assert ours <= 1.003 * best
    # so that the grid has something to find
    assert best < 0.995 * formula


def test_it_keeps_the_limit_and_draws_less_than_the_formulas_with_its_largest_bound(tuned):
    (gain,) = tuned.validated.gains
    assert tuned.validated.is_better
    assert tuned.validated.formula_part_ppm > PPM
    assert max(gain.formula_us, gain.tuned_us) <= LIMIT_US
    assert gain.energy.tuned < gain.energy.formula
    assert gain.high_ppm < 0
    (foreseen,) = tuned.foreseen_energy
    assert foreseen < gain.energy.tuned


def test_where_the_tail_leaves_room_the_bound_is_the_largest_that_keeps_it(trials):
    found = relax_to_limit(APPROACH, FORMULA, trials, AIM)
    assert found.was_kept
    assert found.table.bound_us == FORMULA.bound_us * found.part_ppm // PPM > FORMULA.bound_us
    more = APPROACH.earlier(FORMULA, found.part_ppm + PPM // APPROACH.parts)
    ours_us, more_us = trials.tails_us([found.table, more])[:, 0, 0]
    assert ours_us <= LIMIT_US < more_us


def test_where_it_leaves_none_the_bound_is_cut_back(trials):
    late = replace(FORMULA, bound_us=2 * LIMIT_US)
    found = scale_to_limit(APPROACH, late, trials, AIM)
    assert relax_to_limit(APPROACH, late, trials, AIM) == found
    assert not found.was_kept
    assert trials.tails_us([late])[0, 0, 0] > LIMIT_US
    assert trials.tails_us([found.table])[0, 0, 0] <= LIMIT_US


def test_cores_with_one_frequency_have_nothing_to_tune():
    fixed = tail_table((0, ALONE, BEHIND_ONE), bound_us=LIMIT_US, ghz=(1,), power_mw=(1_000,))
    with pytest.raises(TailcError) as caught:
        clock_problem(Clocks(fixed, GHZ), design(10), AIM)
    (finding,) = caught.value.findings
    assert (finding.code, finding.about) == (Code.METHOD_UNFIT, ("server",))


@dataclass(frozen=True)
class _Busy:
    memory_share: float
    work_by_time: float


@pytest.mark.parametrize(
    "told",
    [
        # all compute: twice as fast at 2 GHz as at the reference
        _Busy(0.0, 2.0),
        # half of the time is of memory: 1 of work takes 0.75
        _Busy(0.5, 4 / 3),
    ],
)
def test_what_a_core_does_at_most_goes_by_its_highest_frequency(told):
    plain = design(10)
    profile = replace(plain, memory_ms=plain.demand_ms * told.memory_share)
    problem = clock_problem(Clocks(FORMULA, GHZ), profile, AIM)
    assert problem.capacity_of(problem.load) == pytest.approx(told.work_by_time, rel=1e-4)
