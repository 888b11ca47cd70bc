"""Check a schedule against a file of events and decisions (schemas/vectors/v1/schedules)."""

from __future__ import annotations

from pathlib import Path

from tailc_runtime.opening import open_policies
from tailc_runtime.schedule import Request, Schedule

PPM = 1_000_000


def wrong_decisions(policy: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each event in `rows` that leads to other decisions of `policy`."""
    schedule = Schedule(open_policies(policy), 0)
    requests: dict[int, Request] = {}
    wrong: list[str] = []
    for row in rows:
        now_ns, number = int(row["now_ns"]), int(row["request"])
        got = _wake_before(schedule, now_ns)
        event, work_ppm = _called(schedule, requests, row, now_ns)
        got += _taken(schedule, now_ns)
        wanted = row["event"], int(row["work_ppm"]), row["decisions"]
        if (event, work_ppm, ";".join(got)) != wanted:
            wrong.append(f"{policy}: {number} {event} {work_ppm} {got}, wanted {wanted}")
    return wrong


def _called(
    schedule: Schedule, requests: dict[int, Request], row: dict[str, str], now_ns: int
) -> tuple[str, int]:
    """What the event was, and the part of the work of an arrival."""
    event, number = row["event"], int(row["request"])
    if event == "exit":
        schedule.exit(requests.pop(number), now_ns)
    elif event == "wake":
        schedule.wake(now_ns)
    else:
        request = schedule.arrive(now_ns, row["request_class"] or None)
        if request is None:
            return "refuse", PPM
        requests[number] = request
        return "arrive", request.work_ppm
    return event, PPM


def _wake_before(schedule: Schedule, now_ns: int) -> list[str]:
    made: list[str] = []
    while (due_ns := schedule.due_ns) is not None and due_ns < now_ns:
        schedule.wake(due_ns)
        made += _taken(schedule, due_ns)
    return made


def _taken(schedule: Schedule, now_ns: int) -> list[str]:
    made = [
        f"{now_ns} {one.what} {one.request.number} {one.rung} {int(one.is_boosted)}"
        + ("" if one.core is None else f" {one.core}")
        for one in schedule.decisions
    ]
    schedule.decisions.clear()
    return made
