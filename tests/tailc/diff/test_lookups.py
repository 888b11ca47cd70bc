"""NEW is asked at exactly the look-ups of OLD's replay, and answers as the form's own look-up."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.diff.lookups import (
    CLIMBS_EARLIER,
    CLIMBS_LATER,
    FIRST_RUNG,
    SAME,
    STARTS_EARLIER,
    STARTS_LATER,
    History,
    find_differences,
)
from tailc.forms.ladder.table import Admission, Climb, Ladder, Row
from tailc.models.shared_cores.model import SharedCores, SharedCoresEngine
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tailc.models.workload import Workload
from tests.reference.lookups_plain import Life, first_difference, last_rung
from tests.tailc.models.shared_cores.servers import MS, at_once, ladder, random_ladder, random_row

SEEDS = st.integers(0, 2**32)
MOST = 500


def requests_of(rng: Random, count: int, rungs: int, gap_ns: int):
    """Random requests; arrivals and work on a coarse grid, so that instants coincide."""
    grid = rng.choice([1, MS // 2])
    work_ns = [max(round(rng.expovariate(1 / (15 * MS)) / grid), 1) * grid for _ in range(count)]
    arrival_ns, now = [], 0
    for _ in range(count):
        now += round(rng.expovariate(1 / gap_ns) / grid) * grid
        arrival_ns.append(now)
    speed = np.array([[1 + 0.5 * rung for rung in range(rungs)]])
    load = Workload(np.array(work_ns), np.ones(count, np.int64), np.zeros(count, np.int32), speed)
    return load, np.array(arrival_ns)


def history_of(outcome: SharedCoresOutcome, old_ladder=None, new_ladder=None) -> History:
    count = len(outcome.arrival_ns)
    none = np.zeros(count, np.int32)
    return History(
        outcome.arrival_ns,
        outcome.arrival_ns + outcome.wait_ns,
        outcome.arrival_ns + outcome.latency_ns,
        none if old_ladder is None else old_ladder,
        none if new_ladder is None else new_ladder,
    )


def lives_of(history: History) -> list[Life]:
    times = (history.arrival_ns, history.start_ns, history.exit_ns)
    return [Life(*moments) for moments in zip(*(one.tolist() for one in times), strict=True)]


def engine_of(one: Ladder) -> SharedCoresEngine:
    return SharedCores("x", (one,)).engine(1, MOST)


def run(old, rng, count=40):
    gap_ns = rng.choice([3, 8, 20]) * MS
    load, arrival_ns = requests_of(rng, count, len(old.rungs), gap_ns)
    order = np.arange(count, dtype=np.int32)
    outcome = engine_of(old).replay(load, order, arrival_ns, 0)
    assert not outcome.was_cut_off
    return outcome


def other_rows(rng, old):
    """The ladder with one or all of its rows drawn anew."""
    rungs = len(old.rungs)
    chosen = rng.randrange(len(old.rows) + 1)
    rows = [
        random_row(rng, row.first_load, row.last_load, rungs)
        if chosen in (place, len(old.rows))
        else row
        for place, row in enumerate(old.rows)
    ]
    return replace(old, rows=tuple(rows))


@settings(max_examples=40)
@given(SEEDS)
def test_a_ladder_answers_its_own_replay_as_the_replay_did(seed):
    rng = Random(seed)
    old = random_ladder(rng)
    outcome = run(old, rng, 80)
    table = engine_of(old).arrays
    noted = find_differences(history_of(outcome), table, table)
    assert not noted.what.any()
    lives = lives_of(history_of(outcome))
    assert [last_rung(lives, number, old) for number in range(80)] == outcome.rung.tolist()


@settings(max_examples=40)
@given(SEEDS)
def test_two_ladders_on_one_server_answer_their_own_replay_too(seed):
    rng = Random(seed)
    first = random_ladder(rng)
    second = other_rows(rng, first)
    load, arrival_ns = requests_of(rng, 80, len(first.rungs), 8 * MS)
    order = np.arange(80, dtype=np.int32)
    ladder_of = np.array([rng.randrange(2) for _ in range(80)], np.int32)
    engine = SharedCores("old", (first, second), ladder_of).engine(1, MOST)
    outcome = engine.replay(load, order, arrival_ns, 0)
    noted = find_differences(
        history_of(outcome, ladder_of, ladder_of), engine.arrays, engine.arrays
    )
    assert not noted.what.any()
    lives = lives_of(history_of(outcome))
    rungs = [last_rung(lives, n, (first, second)[ladder_of[n]]) for n in range(80)]
    assert rungs == outcome.rung.tolist()


@settings(max_examples=100)
@given(SEEDS)
def test_the_kernel_finds_what_asking_request_by_request_finds(seed):
    rng = Random(seed)
    old = random_ladder(rng)
    new = other_rows(rng, old)
    outcome = run(old, rng)
    noted = find_differences(history_of(outcome), engine_of(old).arrays, engine_of(new).arrays)
    history = history_of(outcome)
    lives = lives_of(history)
    for number in range(len(lives)):
        expected = first_difference(lives, number, old, new)
        what = noted.what[number]
        assert (what == SAME) == (expected is None), (number, expected)
        if expected is not None:
            assert noted.at_ns[number] == expected.at_ns
            assert noted.load[number] == expected.load
            if expected.about == "start":
                assert what == (STARTS_EARLIER if expected.new else STARTS_LATER)
            else:
                assert noted.old_rung[number] == expected.old
                assert noted.new_rung[number] == expected.new


def one_request(old, new, work_ms=100):
    """What is noted for a request alone on the server."""
    load = Workload(
        np.array([work_ms * MS]), np.ones(1, np.int64), np.zeros(1, np.int32), np.ones((1, 4))
    )
    engine = engine_of(old)
    outcome = engine.replay(load, np.zeros(1, np.int32), np.zeros(1, np.int64), 0)
    noted = find_differences(history_of(outcome), engine.arrays, engine_of(new).arrays)
    return noted.what[0], noted.at_ns[0] // MS, noted.old_rung[0], noted.new_rung[0]


def delayed(delay_ms):
    return ladder(Row(0, None, Admission.after_delay(delay_ms * 1000), (Climb(0, 0),)))


@pytest.mark.parametrize(
    ("old", "new", "noted"),
    [
        (ladder(at_once((0, 0), (20, 1))), ladder(at_once((0, 0), (20, 1))), (SAME, 0, 0, 0)),
        (ladder(at_once((0, 0))), ladder(at_once((0, 2))), (FIRST_RUNG, 0, 0, 2)),
        (
            ladder(at_once((0, 0), (20, 1))),
            ladder(at_once((0, 0), (12, 1))),
            (CLIMBS_EARLIER, 15, 0, 1),
        ),
        (
            ladder(at_once((0, 0), (20, 1))),
            ladder(at_once((0, 0), (30, 1))),
            (CLIMBS_LATER, 20, 1, 0),
        ),
        # 18 and 20 ms are the same tick of 5 ms.
        (ladder(at_once((0, 0), (20, 1))), ladder(at_once((0, 0), (18, 1))), (SAME, 0, 0, 0)),
        # It has left by then.
        (ladder(at_once((0, 0))), ladder(at_once((0, 0), (100, 1))), (SAME, 0, 0, 0)),
        (delayed(30), delayed(10), (STARTS_EARLIER, 10, 0, 0)),
        (delayed(10), delayed(30), (STARTS_LATER, 10, 0, 0)),
    ],
)
def test_what_is_noted_for_one_request(old, new, noted):
    assert one_request(old, new) == noted
