"""Cores of several types: each request gets the core that the plain replay gives it."""

from __future__ import annotations

import csv
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.forms.ladder.table import Ladder, Rule
from tests.reference import replay_cores_plain as plain
from tests.runtimes.agent.program import fake_machine, options, printed, run
from tests.runtimes.agent.servers import (
    Request,
    Server,
    drawn_server,
    running_at,
    ticks_of,
    write_inputs,
)
from tests.tailc.artifact.published import VECTORS

COUNTS = (2, 1, 1)
CPUS = {"slow": "0,3", "medium": "5", "fast": "2"}
TYPE_OF_CPU = {0: 0, 3: 0, 5: 1, 2: 2}


def cores(*rules: Rule) -> Ladder:
    """Three types; requests climb after some milliseconds, or at once if many are in the system."""
    (ladder,) = read_policy(VECTORS / "cores.json").ladders
    units = tuple(
        replace(unit, capacity_ppm=count * 10**6)
        for unit, count in zip(ladder.cost_units, COUNTS, strict=False)
    )
    first, last = ladder.rows
    ages = ((0, 3_000, 6_000), (0, 3, 4_000))
    rows = tuple(
        replace(
            row,
            climbs=tuple(
                replace(climb, age_us=age) for climb, age in zip(row.climbs, own, strict=True)
            ),
        )
        for row, own in zip(
            (replace(first, last_load=4), replace(last, first_load=5)), ages, strict=True
        )
    )
    return replace(
        ladder,
        cost_units=(*units, *ladder.cost_units[len(COUNTS) :]),
        rows=rows,
        rules=tuple(sorted({Rule.CORE_PER_REQUEST, *rules}, key=lambda rule: rule.value)),
    )


def placements(ladder: Ladder, server: Server) -> list[tuple[int, int, int]]:
    """Time, worker and rung of each start and climb, by the definitions of the plain replay."""
    every = sorted(
        ((one, worker) for worker, own in enumerate(server) for one in own),
        key=lambda pair: (pair[0].arrived_us, pair[1]),
    )
    twin = {
        pair: plain.Request(number, pair[0].arrived_us * 1_000, 0, [])
        for number, pair in enumerate(every)
    }
    state, found = plain.Server([ladder]), []
    for now_us in ticks_of(server):
        state.now = now_us * 1_000
        seen = [pair for pair in every if pair[0].arrived_us <= now_us < pair[0].ended_us]
        for pair in every:
            if pair not in seen:
                twin[pair].exit_ns = twin[pair].start_ns and 1
        state.arrived = [twin[pair] for pair in seen]
        found += _started(state, seen, twin, now_us)
    return found


def _started(
    state: plain.Server,
    seen: list[tuple[Request, int]],
    twin: dict[tuple[Request, int], plain.Request],
    now_us: int,
) -> list[tuple[int, int, int]]:
    changes = []
    climbing = [pair for pair in seen if twin[pair].runs]
    for one, worker in seen:
        request = twin[one, worker]
        if request.runs or one.started_us > now_us:
            continue
        # It executes since its start, and looks its rung up like those that run.
        request.load_at_start, request.start_ns = state.load, one.started_us * 1_000
        wanted, request.start_ns = state.wanted(request), None
        rung = _where_to_start(state, request, wanted)
        if rung is None:
            continue
        request.start_ns = one.started_us * 1_000
        request.rung = rung
        changes.append((now_us, worker, rung))
    for one, worker in climbing:
        request = twin[one, worker]
        rung = state.where_to_move(request)
        if rung is not None:
            request.rung = rung
            changes.append((now_us, worker, rung))
    return changes


def _where_to_start(state: plain.Server, request: plain.Request, wanted: int) -> int | None:
    """As `where_to_start`, for a request that its server has started already."""
    kept, state.wanted = state.wanted, lambda one: wanted if one is request else kept(one)  # type: ignore[method-assign]
    try:
        rung = state.where_to_start(request)
    finally:
        del state.wanted  # type: ignore[method-assign]
    if rung is None:
        rung = next((rung for rung in state.rungs if state.is_free(rung)), None)
    return rung


@pytest.mark.parametrize(
    "rules",
    [
        (Rule.REREAD_ROW,),
        (Rule.AGE_FROM_ARRIVAL, Rule.REREAD_ROW),
        (Rule.MAKE_ROOM, Rule.REREAD_ROW),
        (Rule.AGE_FROM_ARRIVAL, Rule.MAKE_ROOM),
    ],
    ids=lambda rules: "+".join(rule.value for rule in rules),
)
@pytest.mark.parametrize("seed", [1, 2])
def test_each_request_gets_the_core_of_the_plain_replay(
    rules: tuple[Rule, ...], seed: int, tmp_path: Path
) -> None:
    ladder = cores(*rules)
    server = drawn_server(seed, cores=sum(COUNTS), requests=25, mean_us=4_000)
    policy = replace(read_policy(VECTORS / "cores.json"), forms=(ladder,))
    _, flat = write_policy(policy, tmp_path / "policy")
    root, journal = tmp_path / "machine", tmp_path / "journal.csv"
    fake_machine.make("big-little", root)
    threads = [root / "affinity" / str(100 + worker) for worker in range(sum(COUNTS))]
    threads[0].parent.mkdir()
    for thread in threads:
        thread.write_text("0-7\n")
    inputs = write_inputs(tmp_path / "inputs.csv", server)
    words = ["run", flat, "--root", root, "--inputs", inputs, *options("--type", CPUS)]
    printed(*words, "--journal", journal)
    assert {thread.read_text() for thread in threads} == {"0-7\n"}
    rows = list(csv.DictReader(journal.read_text().splitlines()))
    names = [rung.name for rung in ladder.rungs]
    expected = placements(ladder, server)
    got = [(int(row["time_us"]), int(row["core"]), names.index(row["rung"])) for row in rows]
    assert got == expected
    assert {rung for _, _, rung in got} == {0, 1, 2}
    assert all(TYPE_OF_CPU[int(row["cpu"])] == names.index(row["rung"]) for row in rows)


def test_no_core_has_two_requests(tmp_path: Path) -> None:
    ladder = cores(Rule.MAKE_ROOM, Rule.REREAD_ROW)
    server = drawn_server(7, cores=sum(COUNTS), requests=30, mean_us=3_000)
    policy = replace(read_policy(VECTORS / "cores.json"), forms=(ladder,))
    _, flat = write_policy(policy, tmp_path / "policy")
    journal = tmp_path / "journal.csv"
    inputs = write_inputs(tmp_path / "inputs.csv", server)
    (tmp_path / "affinity").mkdir()
    for worker in range(sum(COUNTS)):
        (tmp_path / "affinity" / str(100 + worker)).write_text("0-7\n")
    words = ["run", flat, "--root", tmp_path, "--inputs", inputs, *options("--type", CPUS)]
    printed(*words, "--journal", journal)
    changes = [
        (int(row["time_us"]), int(row["core"]), int(row["cpu"]))
        for row in csv.DictReader(journal.read_text().splitlines())
    ]
    for now_us in ticks_of(server):
        cpus: dict[int, int] = {}
        for time_us, worker, cpu in changes:
            if time_us <= now_us:
                cpus[worker] = cpu
        busy = [worker for worker, own in enumerate(server) if running_at(own, now_us)]
        held = [cpus[worker] for worker in busy]
        assert len(held) == len(set(held))


def test_a_thread_of_this_machine_is_moved_and_gets_its_cpus_back(tmp_path: Path) -> None:
    """With the sandbox's own CPUs; one type has the first, another one the last."""
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        pytest.skip("one CPU only")
    ladder = cores()
    units = tuple(replace(unit, capacity_ppm=10**6) for unit in ladder.cost_units[:3])
    ladder = replace(ladder, cost_units=(*units, *ladder.cost_units[3:]))
    policy = replace(read_policy(VECTORS / "cores.json"), forms=(ladder,))
    _, flat = write_policy(policy, tmp_path / "policy")
    types = {"slow": str(allowed[0]), "medium": str(allowed[1]), "fast": str(allowed[0])}
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        try:
            inputs = tmp_path / "inputs.csv"
            inputs.write_text(f"time_us,core,started_us,thread\n1000,0,999,{sleeper.pid}\n")
            words = ["run", flat, "--state", tmp_path / "undo", "--inputs", inputs]
            printed(*words, *options("--type", types))
            assert os.sched_getaffinity(sleeper.pid) == set(allowed)
            lines = printed(*words, "--dry-run", *options("--type", types))
            assert lines == [f"would write /affinity/{sleeper.pid}: {allowed[0]}"]
        finally:
            sleeper.kill()


def test_types_without_their_cpus_are_refused(tmp_path: Path) -> None:
    policy = replace(read_policy(VECTORS / "cores.json"), forms=(cores(),))
    _, flat = write_policy(policy, tmp_path / "policy")
    words = ["run", flat, "--dry-run", "--board", tmp_path / "board"]
    done = run(*words, *options("--type", {"slow": "0-1", "medium": "2"}))
    assert (done.returncode, "no `--type` is for `fast`" in done.stderr) == (64, True)
    done = run(*words, *options("--type", CPUS | {"slow": "0-2"}))
    assert (done.returncode, "number of such cores is 2" in done.stderr) == (64, True)
    done = run(*words, *options("--type", CPUS | {"huge": "0"}))
    assert (done.returncode, "the policy has no `huge`" in done.stderr) == (64, True)
