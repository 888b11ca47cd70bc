"""A schedule whose rungs are cores: against the replay, and what the vectors do not cover."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from tailc_runtime import Schedule, ScheduleError, open_any, open_policies

from tailc.artifact.files import read_policy
from tailc.forms.controller import Controller
from tailc.forms.ladder.table import Ladder
from tests.reference.replay_cores_plain import Request, controlled, replay_cores_plain
from tests.tailc.artifact.published import ROOT, VECTORS
from tests.tailc.models.core_types.servers import random_server

sys.path.append(str(ROOT / "schemas" / "vectors"))

from closed_loop import Arrival
from core_loop import CoreServer
from policies import policy
from schedules import arrivals_of

import tailc

MS = 1_000_000


def replayed(ladders: list[Ladder], arrivals: list[Arrival], controller: Controller | None):
    speed = [Fraction(rung.speed_ppm, 1_000_000) for rung in ladders[0].rungs]
    classes = [ladder.request_class for ladder in ladders]
    requests = [
        Request(number, at_ns, work_ns, speed, classes.index(request_class))
        for number, (at_ns, request_class, work_ns) in enumerate(arrivals)
    ]
    loop = None if controller is None else controlled(controller)
    return replay_cores_plain(ladders, requests, loop=loop).arrived


def assert_the_same(path: Path, ladders: list[Ladder], arrivals: list[Arrival]) -> None:
    """Every start, exit and last rung, to the nanosecond; the replay shares no code."""
    tables = open_any(path)
    assert isinstance(tables, dict)
    rows = list(CoreServer(tables, 0, arrivals).rows())
    decided = [pair for row in rows for pair in row.decisions]
    wanted = replayed(ladders, arrivals, read_policy(path).controller)
    left = {row.request: row.now_ns for row in rows if row.event == "exit"}
    started: dict[int, int] = {}
    for at_ns, decision in decided:
        started.setdefault(decision.request.number, at_ns)
    rung = {decision.request.number: decision.rung for _, decision in decided}
    assert [started[r.number + 1] for r in wanted] == [r.start_ns for r in wanted]
    assert [left[r.number + 1] for r in wanted] == [r.exit_ns for r in wanted]
    assert [rung[r.number + 1] for r in wanted] == [r.rung for r in wanted]


@pytest.mark.parametrize("name", ["cores", "cores-lanes"])
def test_a_server_of_the_vectors_does_what_the_replay_does(name: str) -> None:
    path = VECTORS / f"{name}.tailc"
    assert_the_same(path, list(read_policy(path).ladders), arrivals_of(name)[:14])


@pytest.mark.parametrize("seed", range(24))
def test_a_random_server_does_what_the_replay_does(seed: int, tmp_path: Path) -> None:
    """Types and levels of cores, room for others, busy periods, classes, and a controller."""
    rng = random.Random(seed)
    server = random_server(rng)
    first, *others = server.ladders
    classed = [replace(other, request_class=str(n)) for n, other in enumerate(others)]
    ladders = [first, *classed]
    controller = server.steering if isinstance(server.steering, Controller) else None
    forms = (*ladders, controller) if controller else tuple(ladders)
    path = tailc.write_artifact(policy("drawn", *forms), str(tmp_path / "drawn"))[1]
    now_ns, arrivals = 0, []
    for _ in range(25):
        now_ns += rng.randint(1, 12 * MS)
        request_class = rng.choice(ladders).request_class
        arrivals.append((now_ns, request_class, rng.randint(1, 60 * MS)))
    assert_the_same(Path(path), ladders, arrivals)


def test_a_policy_with_other_cores_waits_for_no_running_request() -> None:
    schedule = Schedule(open_policies(VECTORS / "cores.tailc"), 0)
    schedule.reload(open_policies(VECTORS / "smallest.tailc"), 1)
    request = schedule.arrive(2)
    assert request
    assert request.core is None
    with pytest.raises(ScheduleError, match="other cores than the running requests"):
        schedule.reload(open_policies(VECTORS / "cores.tailc"), 3)
    schedule.exit(request, 4)
    schedule.reload(open_policies(VECTORS / "cores.tailc"), 5)
    placed = [schedule.arrive(6 + n) for n in range(9)]
    # Nine are too many for seven slow cores: at its tick the oldest makes room.
    assert [r.core for r in placed if r] == [*range(7), None, None]
    schedule.decisions.clear()
    schedule.wake(6 + MS)
    moved = [(d.what, d.request.number, d.rung, d.core) for d in schedule.decisions]
    assert moved == [("climb", 2, 1, 0), ("start", 9, 0, 0)]
    schedule.reload(open_policies(VECTORS / "cores.tailc"), 20 * MS)
    assert schedule.running == 8
