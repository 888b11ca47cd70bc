"""The state machine of the schedulers: against the replay, and in what the vectors do not cover."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tailc_runtime import (
    CLIMB,
    CUT_OFF,
    DESCEND,
    START,
    Controller,
    Schedule,
    ScheduleError,
    open_any,
    open_policies,
    open_policy,
)
from tailc_runtime.raw import RawController
from tailc_runtime.schedule_metrics import openmetrics

from tailc.artifact.files import read_policy
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload
from tests.tailc.artifact.published import ROOT, VECTORS

sys.path.append(str(ROOT / "schemas" / "vectors"))

from closed_loop import Server
from schedules import CAPACITY_PPM, LOADS, ON_CORES, WITH_CLASSES, arrivals_of

MS = 1_000_000
LUCENE = VECTORS / "lucene.tailc"


def tables_of(path: Path):
    tables = open_any(path)
    assert isinstance(tables, dict)
    return tables


@pytest.mark.parametrize("name", [n for n in LOADS if n not in (*WITH_CLASSES, *ON_CORES)])
def test_a_server_on_a_schedule_does_what_the_replay_does(name: str) -> None:
    """Same arrivals and work; the replay's virtual clocks round to a nanosecond."""
    arrivals = arrivals_of(name)
    rows = list(Server(tables_of(VECTORS / f"{name}.tailc"), CAPACITY_PPM, arrivals).rows())
    decided = [pair for row in rows for pair in row.decisions]
    started = {d.request.number: at for at, d in decided if d.what == START}
    rung = {d.request.number: d.rung for _, d in decided}
    left = {row.request: row.now_ns for row in rows if row.event == "exit"}
    cut = {d.request.number for _, d in decided if d.what == CUT_OFF}

    ladders = read_policy(VECTORS / f"{name}.tailc").ladders
    count = len(arrivals)
    speed = np.array([[each.speed_ppm / 1e6 for each in ladders[0].rungs]])
    work_ns = np.array([work for _, _, work in arrivals], np.int64)
    workload = Workload(work_ns, np.ones(count, np.int64), np.zeros(count, np.int32), speed)
    arrival_ns = np.array([at for at, _, _ in arrivals], np.int64)
    engine = SharedCores("replayed", ladders).engine(1_000, 1_000)
    outcome = engine.replay(workload, np.arange(count, dtype=np.int32), arrival_ns)

    entered = sorted(left)
    at = np.array(entered) - 1
    assert set(range(1, count + 1)) - set(entered) == {
        number + 1 for number in np.flatnonzero(outcome.is_refused)
    }
    waits = np.array([started[number] for number in entered]) - arrival_ns[at]
    assert np.abs(waits - outcome.wait_ns[at]).max() <= 2
    latencies = np.array([left[number] for number in entered]) - arrival_ns[at]
    assert np.abs(latencies - outcome.latency_ns[at]).max() <= 2
    assert [rung[number] for number in entered] == outcome.rung[at].tolist()
    assert cut == {number + 1 for number in np.flatnonzero(outcome.is_cut)}


def test_the_servers_of_the_vectors_wait_climb_boost_refuse_and_cut_off() -> None:
    seen = "".join((VECTORS / "schedules" / f"{name}.csv").read_text() for name in LOADS)
    for text in (f" {CLIMB} ", f" {DESCEND} ", f" {CUT_OFF} ", "refuse,", " 3 1\n", "arrive"):
        assert text in seen, text
    parts_ppm = {line.split(",")[4] for line in seen.splitlines() if ",arrive," in line}
    assert len(parts_ppm) == 2


def taken(schedule: Schedule) -> list[tuple[str, int, int]]:
    decisions, schedule.decisions = schedule.decisions, []
    return [(d.what, d.request.number, d.rung) for d in decisions]


def test_a_waiting_request_that_leaves_makes_room_for_nobody() -> None:
    schedule = Schedule(open_policy(LUCENE), 0)
    requests = [schedule.arrive(0) for _ in range(27)]
    running = [r for r in requests if r and r.rung is not None]
    waiting = [r for r in requests if r and r.rung is None]
    taken(schedule)
    assert (schedule.in_system, schedule.running) == (27, len(running))
    schedule.exit(waiting[0], MS)
    assert (schedule.in_system, schedule.running) == (26, len(running))
    assert taken(schedule) == []
    schedule.exit(running[0], 2 * MS)
    assert taken(schedule) == [(START, waiting[1].number, 0)]


def test_a_late_tick_is_counted_and_delays_none_of_the_next() -> None:
    schedule = Schedule(open_policy(LUCENE), 0)
    schedule.arrive(0)
    assert schedule.due_ns == 5 * MS
    schedule.wake(12 * MS)
    assert schedule.counts.late_ns == 7 * MS
    assert schedule.due_ns == 15 * MS


def test_times_have_threads_of_all_rungs_and_late_ticks() -> None:
    schedule = Schedule(open_policy(VECTORS / "settings.tailc"), 0)
    last = [schedule.arrive(0) for _ in range(10)][-1]
    assert last
    while schedule.due_ns is not None and schedule.due_ns <= 27 * MS:
        schedule.wake(27 * MS)
    schedule.exit(last, 31 * MS)
    assert last.granted_ns == 27 * MS + 4 * 2 * MS
    assert last.late_ns == 22 * MS + MS


def test_looks_at_waiting_requests_are_not_counted_as_outside() -> None:
    """13 of 30 requests run, each has four ticks, and the policy is for up to 24."""
    table = open_policy(VECTORS / "settings.tailc")
    schedule = Schedule(table, 0)
    for _ in range(30):
        schedule.arrive(0)
    assert (schedule.running, table.counters.outside) == (13, 0)
    while schedule.due_ns is not None and schedule.due_ns <= 20 * MS:
        schedule.wake(schedule.due_ns)
    assert (schedule.running, table.counters.outside) == (13, 13 * 4)


def test_a_timer_that_is_not_due_is_left_alone() -> None:
    schedule = Schedule(open_policy(LUCENE), 0)
    schedule.wake(0)
    schedule.arrive(0)
    schedule.wake(5 * MS - 1)
    assert schedule.counts.ticks == 0


def test_running_requests_keep_their_policy_and_waiting_ones_get_the_new_one() -> None:
    schedule = Schedule(open_policy(LUCENE), 0)
    requests = [schedule.arrive(0) for _ in range(26)]
    first, last = requests[0], requests[-1]
    assert first
    assert last
    assert last.rung is None
    taken(schedule)
    other = open_policy(VECTORS / "smallest.tailc")
    schedule.reload(other, MS)
    waited = [number for what, number, _ in taken(schedule) if what == START]
    assert waited == sorted(waited)
    assert waited[-1] == last.number
    assert last.table is other
    assert first.table is not other
    assert schedule.counts.reloads == 1


@pytest.mark.parametrize(
    ("vector", "why"),
    [("lanes", "not the number in the system"), ("rate", "not the number in the system")],
)
def test_a_policy_that_needs_more_is_refused(vector: str, why: str) -> None:
    with pytest.raises(ScheduleError, match=why):
        Schedule(open_policies(VECTORS / f"{vector}.tailc"), 0)


def test_a_class_without_a_ladder_is_named() -> None:
    tables = open_policies(VECTORS / "classes.tailc")
    del tables[None]
    schedule = Schedule(tables, 0)
    with pytest.raises(ScheduleError, match="no ladder for class `long` of requests"):
        schedule.arrive(0, "long")
    with pytest.raises(ScheduleError, match="no ladder for all requests"):
        schedule.arrive(0)
    assert schedule.counts.arrived == 0


def test_the_exit_that_ends_an_epoch_steps_the_controller_with_tail_and_rate() -> None:
    table = open_policy(LUCENE)
    raw = RawController(
        *("climb-ages", 500_000, 1_000_000, 2, 2, 500_000, 0, 1_000_000, 40),
        gains=((0, 0, 2**29, 0), (2_000_000, 0, 2**20, 0)),
    )
    table.controller, twin = Controller(raw), Controller(raw)
    schedule = Schedule(table, 0)
    first, second = schedule.arrive(0), schedule.arrive(0)
    assert first
    assert second
    schedule.exit(first, 3 * MS + 499)
    assert table.controller.output_ppm == 500_000
    schedule.exit(second, 4 * MS)
    # The median of 3,000 and 4,000 us is the first; two arrivals in 4 ms are 500 a second.
    assert twin.step(3_000, 500_000) == table.controller.output_ppm != 500_000


def test_metrics_are_open_metrics_with_every_count() -> None:
    schedule = Schedule(open_policy(VECTORS / "settings.tailc"), 0)
    schedule.arrive(0)
    schedule.wake(6 * MS)
    lines = openmetrics(schedule, 2.5).splitlines()
    assert lines[-1] == "# EOF"
    for line in (
        "tailc_requests_total 1",
        'tailc_lookups_total{rung="d4"} 2',
        "tailc_tick_lateness_seconds_sum 0.001",
        "tailc_in_system 1",
        "tailc_reload_age_seconds 2.5",
    ):
        assert line in lines
    types = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(types) == len(set(types))


def test_a_name_with_quotes_stays_one_label() -> None:
    table = open_policy(LUCENE)
    table.rungs = tuple(f'd"{n}\\\n' for n in range(4))
    table.settings = tuple(replace(rung) for rung in table.settings)
    schedule = Schedule(table, 0)
    schedule.arrive(0)
    assert 'tailc_lookups_total{rung="d\\"3\\\\\\n"} 1' in openmetrics(schedule, 0)
