"""Demands from switches of threads, as perf and ftrace print them."""

from __future__ import annotations

import pytest

from tailc.errors import Code
from tailc.ingest.ingest import ingest
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.profile import Measure
from tests.tailc.ingest.refusal import options, refused

CPU = StatedMeasure(Measure.DEMAND_CPU)
PERF = (
    "  {old} {pid} [{cpu:03}]  {at}:       sched:sched_switch: prev_comm={old} prev_pid={pid} "
    "prev_prio=120 prev_state={state} ==> next_comm={new} next_pid={next} next_prio=120\n"
)
SHORT = (
    "  {old} {pid} [{cpu:03}]  {at}: sched:sched_switch: {old}:{pid} [120] {state} ==> "
    "{new}:{next} [120]\n"
)
FTRACE = (
    "  {old}-{pid}  [{cpu:03}] d..3.  {at}: sched_switch: prev_comm={old} prev_pid={pid} "
    "prev_prio=120 prev_state={state} ==> next_comm={new} next_pid={next} next_prio=120\n"
)
IDLE = ("swapper/0", 0)
WEB, LOG = ("web: pool 1", 41), ("log", 7)
# The beginning of the first request is not recorded. The second executes 3 ms, is preempted, and
# executes 2 ms on another processor; the third executes 1 ms and ends.
EVENTS = [
    (0, "1.000000", WEB, "S", IDLE),
    (0, "1.010000", IDLE, "R", WEB),
    (0, "1.013000", WEB, "R+", LOG),
    (1, "1.020000", IDLE, "R", WEB),
    (1, "1.022000", WEB, "S", IDLE),
    (0, "1.030000", LOG, "S", IDLE),
    (0, "1.040000000", IDLE, "R", WEB),
    (0, "1.041000500", WEB, "X", IDLE),
]


def write(path, form, events=EVENTS):
    lines = ["# a comment\n", "  web 41 [000] 0.900000: sched:sched_waking: comm=web pid=41\n"]
    for cpu, at, (old, pid), state, (new, following) in events:
        names = {"old": old, "pid": pid, "new": new, "next": following}
        lines.append(form.format(cpu=cpu, at=at, state=state, **names))
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize("form", [PERF, SHORT, FTRACE])
def test_a_request_is_the_time_on_processors_between_two_sleeps(tmp_path, form):
    path = write(tmp_path / "switches.txt", form)
    found = ingest([str(path)], options(services=(WEB[0],)), CPU)
    histogram = found.inputs[0].times.histogram
    # The web thread sleeps at once, so its first request is left out as well.
    assert (histogram.requests, histogram.min_ns, histogram.max_ns) == (2, 1_000_500, 5_000_000)


def test_the_only_name_of_threads_needs_no_option(tmp_path):
    events = [one for one in EVENTS if LOG not in one]
    found = ingest([str(write(tmp_path / "switches.txt", PERF, events))], options(), CPU)
    assert found.inputs[0].times.requests == 2


@pytest.mark.parametrize(
    ("services", "words"),
    [((), "has threads of 2 names: `web: pool 1` (2), `log` (1)"), (("wbe",), "no thread with")],
)
def test_threads_must_be_chosen_by_name(tmp_path, services, words):
    events = [(0, "0.5", LOG, "S", IDLE), *EVENTS]
    events[0] = (0, "0.500000", LOG, "S", IDLE)
    path = write(tmp_path / "switches.txt", PERF, events)
    finding = refused(path, CPU, services=services)
    assert finding.code is Code.SEVERAL_SERVICES
    assert words in finding.message


def test_a_broken_event_has_its_line(tmp_path):
    path = write(tmp_path / "switches.txt", PERF)
    path.write_text(path.read_text() + "  web 41 [000] 1.5: sched:sched_switch: prev_co\n")
    finding = refused(path, CPU, services=(WEB[0],))
    assert (finding.code, finding.place.line) == (Code.BROKEN_FORMAT, 11)


def test_lost_events_are_a_warning(tmp_path):
    path = write(tmp_path / "switches.txt", PERF)
    path.write_text(path.read_text() + "CPU:0 [LOST 1,234 EVENTS]\n")
    found = ingest([str(path)], options(services=(WEB[0],)), CPU)
    assert "lost events" in found.inputs[0].times.warnings[0].message
