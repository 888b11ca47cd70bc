"""Baselines on cores: which there are, what each does, and what the searched ones choose."""

from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.forms.ladder.table import Rule
from tailc.models.core_types.baselines.exhaustive import STEP_US, sets, thresholds, usual_step_us
from tailc.models.core_types.baselines.one_type import sets as octopus_sets
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.outcome import CoreTypesOutcome
from tailc.models.execution_model import BaselineSearch, CandidateResult, Subject
from tailc.models.shared_cores.model import SharedCores
from tailc.models.steering import ReactiveRule
from tailc.models.workload import Workload
from tests.tailc.models.core_types.servers import MS, PPM, cores, levels, row
from tests.tailc.models.shared_cores.servers import at_once, ladder

GAINS = tuple(GainRow(first, 0, 1000 + first, 0) for first in (0, 20_000, 40_000))
CONTROLLER = Controller(Actuator.CLIMB_AGES, 990_000, 100_000, 500, 2000, PPM, 0, PPM, 32, GAINS)
AMP = CoreTypes("ours", (cores([4, 2], row((0, 0), (40, 1))),), steering=CONTROLLER)
DVFS = CoreTypes("ours", (levels(4, row((0, 0), (40, 1), (80, 2)), speeds=(1, 1.5, 2)),))
THREADS = SharedCores("ours", (ladder(at_once((0, 0)), cores=4, rungs=2),))


def demands(*work_ms: float, speeds: tuple[float, ...] = (1, 2)) -> Workload:
    count = len(work_ms)
    return Workload(
        np.array([round(work * MS) for work in work_ms]),
        np.ones(count, np.int64),
        np.zeros(count, np.int32),
        np.array([speeds], dtype=float),
    )


LOAD = demands(10, 20, 60, 160)


def far_apart(subject: CoreTypes, load: Workload = LOAD) -> CoreTypesOutcome:
    """Each request once, in order, and none meets another."""
    order = np.arange(load.requests)
    return subject.engine(1000, 64).replay(load, order, order * 10_000 * MS, 0)


def alone(load: Workload = LOAD, target_us: int = 100_000) -> BaselineSearch:
    """A search by the greatest latency of requests that never meet."""

    def evaluate(subject: Subject) -> CandidateResult:
        outcome = far_apart(subject, load)
        return CandidateResult(int(outcome.latency_ns.max()) // 1000, outcome.mean_energy)

    return BaselineSearch(evaluate, 990_000, target_us)


def made(
    name: str, policy: Subject = AMP, load: Workload = LOAD, search: BaselineSearch | None = None
) -> Subject:
    return policy.baseline(name, load, search or alone(load))


def latency_ms(subject: Subject, load: Workload = LOAD) -> list[float]:
    return [float(ns / MS) for ns in far_apart(subject, load).latency_ns]


def test_tl_runs_everything_on_the_fastest_core():
    assert latency_ms(made("TL")) == [5, 10, 30, 80]
    assert far_apart(made("tl")).rung.tolist() == [1] * 4
    load = demands(60, speeds=(1, 1.5, 2))
    assert latency_ms(made("tl", DVFS, load), load) == [30]


def test_ee_runs_everything_on_the_slowest_and_makes_room():
    assert latency_ms(made("ee")) == [10, 20, 60, 160]
    assert Rule.MAKE_ROOM in made("ee").ladders[0].rules
    # levels of one core have no other type to go to
    assert Rule.MAKE_ROOM not in made("ee", DVFS).ladders[0].rules


def test_s2f_is_the_policy_without_its_controller():
    fixed = made("s2f")
    assert fixed.steering is None
    assert latency_ms(fixed) == [10, 20, 40 + 20 / 2, 40 + 120 / 2]
    assert latency_ms(made("s2f-50%")) == [10, 20, 20 + 40 / 2, 20 + 140 / 2]


@pytest.mark.parametrize(
    ("target_ms", "share"), [(100, "100 %"), (95, "75 %"), (90, "50 %"), (85, "25 %"), (50, "0 %")]
)
def test_the_best_share_is_the_greatest_that_meets_the_target_or_none(target_ms, share):
    # t + (160 - t) / 2 <= 100: t is 40, the age as it is; of 50 ms no share is enough
    found = made("best-share", search=alone(target_us=target_ms * 1_000))
    assert found.note == f"{share} of its ages"
    assert (found.name, found.steering) == ("S2F at its best share", None)


def test_one_gain_has_the_middle_gains_at_every_rate():
    assert made("one-gain").steering.gains == (replace(GAINS[1], first_rate_mrps=0),)
    of_two = replace(AMP, steering=replace(CONTROLLER, gains=GAINS[:2]))
    assert made("one-gain", of_two).steering.gains == (GAINS[0],)


def test_rc_starts_the_longest_on_fast_cores_and_leaves_the_others():
    assert latency_ms(made("rc>20ms")) == [10, 20, 30, 80]
    assert Rule.MAKE_ROOM not in made("rc>20ms").ladders[0].rules


def test_rc_searches_the_fewest_longest_that_meet_the_target():
    # 100 ms: only the longest has to be fast
    found = made("rc")
    assert latency_ms(found) == [10, 20, 60, 80]
    assert found.note == "threshold 60 ms"
    # 50 ms is met by none: then the least tail
    assert latency_ms(made("rc", search=alone(target_us=50_000)))[-1] == 80


def test_exhaustive_finds_the_threshold_of_the_closed_form():
    # t + (160 - t) / 2 <= 100: t is 40, which is on the grid
    assert made("exhaustive-5ms").note == "thresholds 40 ms"
    # on a grid of 30 ms the last that meets it is 30
    assert made("exhaustive-30ms").note == "thresholds 30 ms"
    # at 200 ms slow cores are enough; of thresholds that no request reaches the first is told
    assert made("exhaustive", search=alone(target_us=200_000)).note == "thresholds 160 ms"


def test_exhaustive_tries_every_pair_of_thresholds_in_order():
    assert list(thresholds(3, 10, 5)) == [
        (0, 0), (0, 5), (0, 10), (0, None), (5, 5), (5, 10), (5, None),
        (10, 10), (10, None), (None, None),
    ]  # fmt: skip
    assert sets(3, 10, 5) == 10


def test_exhaustive_takes_a_step_that_leaves_a_short_search():
    assert usual_step_us(AMP.ladders[0], 200_000) == STEP_US
    assert sets(3, 200_000, usual_step_us(DVFS.ladders[0], 200_000)) <= 250


def test_exhaustive_refuses_a_search_of_hours():
    with pytest.raises(TailcError, match="tries at most") as caught:
        made("exhaustive-1us")
    assert "larger step" in caught.value.findings[0].help


def test_pegasus_takes_the_lowest_level_that_meets_the_target():
    load = demands(10, 120, speeds=(1, 1.5, 2))
    found = made("pegasus", DVFS, load, alone(load))
    # 120 / 1.5 = 80 ms
    assert found.note == "level 1.5 GHz"
    assert latency_ms(found, load) == [pytest.approx(10 / 1.5, abs=1e-5), 80]


def test_octopus_goes_through_the_sets_of_the_paper():
    # two slow cores, and two that are twice as fast: {S1}, {S1,S2}, {F1}, {F1,F2}
    two = cores([2, 2], row((0, 0)))
    assert list(octopus_sets(two)) == [(0, 1), (0, 2), (1, 1), (1, 2)]
    # five fast cores are needed to match ten slow ones, and there are three
    few = cores([3, 1, 4], row((0, 0)), speeds=(1, 1.5, 2))
    assert list(octopus_sets(few)) == [
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 1),
        (2, 1),
        (2, 2),
        (2, 3),
        (2, 4),
    ]


def test_octopus_runs_requests_on_its_type_alone():
    found = made("octopus")
    assert found.note == "2 of type2"
    assert found.cores_on == (0, 2)
    three = Workload(*(np.repeat(part, 3) for part in (LOAD.work_ns[:1], LOAD.weight[:1],
                       LOAD.curve_of[:1])), LOAD.speed)  # fmt: skip
    outcome = found.engine(1000, 64).replay(three, np.arange(3), np.zeros(3, np.int64), 0)
    # the third waits for one of the two fast cores, with four slow ones off
    assert [float(ns / MS) for ns in outcome.latency_ns] == [5, 5, 10]
    assert outcome.utilization_by_pool[0] is None


def test_oblivious_takes_a_type_as_often_as_it_has_cores():
    many = demands(*[10] * 3000)
    rung = far_apart(made("oblivious"), many).rung
    # 4 slow cores and 2 fast ones: a standard deviation of 26
    assert abs(int((rung == 0).sum()) - 2000) < 100


def test_oblivious_takes_another_core_where_its_own_are_busy():
    engine = made("oblivious").engine(1000, 64)
    same = demands(*[100] * 6)
    outcome = engine.replay(same, np.arange(6), np.zeros(6, np.int64), 0)
    assert outcome.wait_ns.tolist() == [0] * 6
    assert sorted(outcome.rung.tolist()) == [0, 0, 0, 0, 1, 1]
    # and stays there
    assert sorted(ns / MS for ns in outcome.latency_ns) == [50, 50, 100, 100, 100, 100]


def test_reactive_measures_as_the_controller_does():
    law = made("reactive").steering
    assert law == ReactiveRule(990_000, 100_000, 500, 2000)
    assert not made("reactive").measures_warm_up
    assert made("reactive+start").measures_warm_up
    assert made("reactive", DVFS).steering == ReactiveRule(990_000, 100_000, 500, 2000)


def test_of_candidates_the_least_energy_that_meets_the_target_wins_and_the_first_of_equals():
    subjects = [CoreTypes(name, AMP.ladders) for name in "abcd"]
    told = dict(
        zip(
            "abcd",
            [
                CandidateResult(9, 1.0),
                CandidateResult(5, 3.0),
                CandidateResult(6, 2.0),
                CandidateResult(4, 2.0),
            ],
            strict=True,
        )
    )
    search = BaselineSearch(lambda subject: told[subject.name], 990_000, 6)
    assert search.least_energy(subjects).name == "c"
    assert replace(search, target_us=3).least_energy(subjects).name == "d"


@pytest.mark.parametrize("name", ["seq", "every-5ms", "adaptive", "rc-2", "no-boost"])
def test_baselines_of_threads_are_none_of_cores(name):
    with pytest.raises(TailcError, match="where rungs are cores") as caught:
        made(name)
    assert caught.value.findings[0].code is Code.USAGE


@pytest.mark.parametrize("name", ["tl", "ee", "s2f", "octopus"])
def test_baselines_of_cores_are_none_of_threads(name):
    with pytest.raises(TailcError, match="there is no baseline"):
        made(name, THREADS)


@pytest.mark.parametrize(
    ("name", "policy", "says"),
    [
        ("pegasus", AMP, "this server has no levels"),
        ("octopus", DVFS, "this server has levels"),
        ("oblivious", DVFS, "this server has levels"),
        ("one-gain", DVFS, "no controller"),
        ("rc>0ms", AMP, "`0ms` must be above 0"),
        ("rc>5", AMP, "unit"),
        ("s2f-200%", AMP, "0 % to 100 %"),
        ("s2f-5ms", AMP, "s2f-5ms"),
    ],
)
def test_what_does_not_suit_the_server_is_refused(name, policy, says):
    with pytest.raises(TailcError, match=says):
        made(name, policy)


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(TailcError) as caught:
        made("exhuastive")
    assert "exhaustive" in caught.value.findings[0].help


def test_default_names_are_the_ends_and_what_the_controller_is_worth():
    assert AMP.default_baselines(LOAD) == ("tl", "ee", "rc", "s2f", "one-gain")
    assert DVFS.default_baselines(LOAD) == ("tl", "ee", "rc")
    single = replace(AMP, steering=replace(CONTROLLER, gains=GAINS[:1]))
    assert "one-gain" not in single.default_baselines(LOAD)


@pytest.mark.parametrize(("name", "same"), [("fix-1", "ee"), ("fix-2", "tl")])
def test_the_first_and_last_rung_have_names_of_their_own(name, same):
    assert made(name).ladders == made(same).ladders


def test_one_climb_goes_to_the_last_rung():
    (row,) = made("climb-50ms").ladders[0].rows
    assert [(climb.age_us, climb.rung) for climb in row.climbs] == [(0, 0), (50_000, 1)]


def test_a_rung_that_is_not_there_is_none_to_stay_on():
    with pytest.raises(TailcError, match="the policy has 2 rungs"):
        made("fix-3")


def test_a_user_could_set_every_rung_and_some_ages_of_one_climb():
    """Demand of 10 to 160 ms: percentiles of it, to two digits."""
    names = AMP.hand_settings(LOAD)
    assert names[:2] == ("tl", "ee")
    assert [name for name in names if name.startswith("fix-")] == []
    ages = [name for name in names if name.startswith("climb-")]
    assert len(ages) == len(set(ages)) > 1
