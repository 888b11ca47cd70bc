"""Pegasus and Octopus-Man under a changing load: a setting for each rate."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tailc.experiment.experiment import Experiment
from tailc.experiment.scenario import Scenario
from tailc.experiment.tail_sample import Tail
from tailc.models.arrivals import (
    Arrivals,
    Burst,
    Bursts,
    Poisson,
    RateProfile,
    RateStep,
    RecordedArrivals,
)
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.outcome import CoreTypesOutcome
from tailc.models.execution_model import BaselineSearch, CandidateResult
from tailc.models.modulated_arrivals import Burstiness, ModulatedArrivals
from tailc.models.steering import Lookup, Setting
from tailc.models.workload import Workload
from tests.tailc.models.core_types.servers import MS, cores, latency_ms, levels, row, run

# Requests of 100 ms of work: level 1 serves 40/s on four cores, level 2 serves 80/s.
DVFS = CoreTypes("ours", (levels(4, row((0, 0)), speeds=(1, 1.5, 2)),))
AMP = CoreTypes("ours", (cores([4, 4], row((0, 0)), idle=0.1),))
SLOW, FAST = 5_000, 50_000
TARGET_US = 130_000
BURSTS = Bursts((Burst(600, SLOW), Burst(1500, FAST), Burst(600, SLOW)))
PROFILE = RateProfile(
    (RateStep(120_000_000, SLOW), RateStep(30_000_000, FAST), RateStep(120_000_000, SLOW))
)
RECORDED = RecordedArrivals(
    np.cumsum([0] + [200 * MS] * 600 + [15 * MS] * 1500 + [200 * MS] * 600), None, "at"
)


def alike(subject: CoreTypes) -> Workload:
    speed = [[rung.speed_ppm / 1e6 for rung in subject.ladder.rungs]]
    return Workload(
        np.array([100 * MS]), np.array([1000]), np.zeros(1, np.int32), np.array(speed, dtype=float)
    )


@pytest.fixture
def workers() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def experiment(subject: CoreTypes, arrivals: Arrivals, workers: ThreadPoolExecutor) -> Experiment:
    return Experiment(Scenario(alike(subject), arrivals, 4000, 500, seed=1), 1, 0, workers)


def made(
    name: str, subject: CoreTypes, arrivals: Arrivals, workers: ThreadPoolExecutor
) -> CoreTypes:
    search = experiment(subject, arrivals, workers).search(Tail(990_000), TARGET_US)
    return subject.baseline(name, alike(subject), search)


def replayed(
    name: str, subject: CoreTypes, arrivals: Arrivals, workers: ThreadPoolExecutor
) -> CoreTypesOutcome:
    ((_, outcome),) = experiment(subject, arrivals, workers).outcomes(
        made(name, subject, arrivals, workers)
    )
    return outcome


def rungs_at(outcome: CoreTypesOutcome, first: int, last: int) -> set[int]:
    """Of the second half of a burst, where the rate has been measured."""
    return set(outcome.rung[(first + last) // 2 : last].tolist())


@pytest.mark.parametrize("arrivals", [BURSTS, PROFILE, RECORDED])
@pytest.mark.parametrize(("name", "subject", "fast"), [("pegasus", DVFS, 2), ("octopus", AMP, 1)])
def test_the_setting_follows_the_load_up_and_down(arrivals, name, subject, fast, workers):
    outcome = replayed(name, subject, arrivals, workers)
    rate = 1e9 / np.convolve(np.diff(outcome.arrival_ns), np.ones(200) / 200, "same")
    busy = np.flatnonzero(rate > 35)
    assert rungs_at(outcome, 0, int(busy[0]) - 100) == {0}
    assert rungs_at(outcome, int(busy[0]), int(busy[-1]) - 100) == {fast}
    assert rungs_at(outcome, int(busy[-1]), len(outcome.rung)) == {0}


@pytest.mark.parametrize(("name", "subject"), [("pegasus", DVFS), ("octopus", AMP)])
@pytest.mark.parametrize("rate_mrps", [SLOW, FAST])
def test_at_a_constant_rate_one_setting_is_held_and_no_rate_is_measured(
    name, subject, rate_mrps, workers
):
    found = made(name, subject, Poisson(rate_mrps), workers)
    assert found.steering is None
    assert not len(replayed(name, subject, Poisson(rate_mrps), workers).steps.time_ns)


def test_under_bursts_each_rate_has_the_setting_of_that_constant_rate(workers):
    lookup = made("pegasus", DVFS, BURSTS, workers).steering
    assert isinstance(lookup, Lookup)
    for rate_mrps, note in ((SLOW, "level 1 GHz"), (FAST, "level 2 GHz")):
        assert made("pegasus", DVFS, Poisson(rate_mrps), workers).note == note
        taken = [s for s in lookup.settings if s.first_rate_mrps <= rate_mrps][-1]
        assert f"level {(1, 1.5, 2)[taken.rung]:g} GHz" == note


def test_spells_of_unforeseen_times_are_followed_too(workers):
    spells = ModulatedArrivals(20_000, Burstiness(300 * 10**6, 20 * 10**6, 300_000))
    outcome = replayed("pegasus", DVFS, spells, workers)
    # 10/s and 42/s, and mixtures of them
    assert set(outcome.rung.tolist()) == {0, 1, 2}


def by_rate(levels_by_rate: dict[int, int]) -> BaselineSearch:
    """A search that meets the target on one level alone at each rate."""

    def evaluate_at_rates(rung: int):
        return lambda subject: CandidateResult(
            200 * (subject.ladder.rows[0].climbs[0].rung != rung), 1.0
        )

    by = tuple((rate_mrps, evaluate_at_rates(rung)) for rate_mrps, rung in levels_by_rate.items())
    return BaselineSearch(lambda _: CandidateResult(0, 1.0), 990_000, 100, lambda: by)


def test_equal_settings_of_neighbouring_rates_are_one_and_each_holds_down_to_the_next():
    found = DVFS.baseline("pegasus", alike(DVFS), by_rate({10: 0, 20: 0, 30: 2, 40: 2}))
    assert found.steering == Lookup((Setting(0, 0, (4,)), Setting(21, 2, (4,))))
    assert found.note == "level 1 GHz to level 2 GHz, by rate"
    same = DVFS.baseline("pegasus", alike(DVFS), by_rate({10: 1, 20: 1}))
    assert (same.steering, same.note) == (Lookup((Setting(0, 1, (4,)),)), "level 1.5 GHz")


def test_of_types_there_are_as_many_cores_as_a_setting_has_at_most():
    found = AMP.baseline("octopus", alike(AMP), by_rate({10: 0, 20: 1}))
    assert found.cores_on == (1, 2)
    assert found.steering == Lookup((Setting(0, 0, (1, 0)), Setting(11, 1, (0, 2))))


def test_a_core_that_is_to_be_off_ends_its_request_and_then_draws_nothing():
    ladder = cores([1, 1], row((0, 1)), idle=0.5, rules=AMP.ladder.rules)
    lookup = Lookup((Setting(0, 0, (1, 0)), Setting(10_000, 1, (0, 1))), 1, 0)
    # the fast core is on first; exits at 10 and 20 ms of 3 and 0 arrivals turn it on, then off
    outcome = run(ladder, [0, 0, 0], [20, 20, 20], steering=lookup)
    assert outcome.steps.rate_mrps.tolist() == [300_000]
    assert latency_ms(outcome) == [10, 20, 30]
    # the slow core is off for all of 30 ms
    assert outcome.off.sum() == 0.5 * 30 * MS
