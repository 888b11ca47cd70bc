"""Batch work on the other hardware thread: stopped and let go on as the ages of the policy say."""

from __future__ import annotations

import mmap
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import Climb, Ladder, Lane, LoadAxis, Row, Rule
from tests.runtimes.agent.program import (
    PATIENCE_S,
    contents,
    fake_machine,
    options,
    printed,
    run,
    until,
    would_write,
)
from tests.runtimes.agent.servers import (
    Request,
    Server,
    drawn_server,
    in_system,
    running_at,
    ticks_of,
    without_repetitions,
    write_inputs,
)
from tests.runtimes.agent.test_undo import started
from tests.tailc.artifact.published import VECTORS

# By layout the CPU of each core, and the other hardware thread of each.
CPUS = MappingProxyType(
    {
        "v1-acpi-smt": ((0, 3), (4, 7)),
        "virtual-hybrid": ((0,), (1,)),
        "two-sockets-hwp": ((2, 12), (10, 4)),
        "p-and-e-cores": ((0, 3), (1, 2)),
        "amd-epp": ((1, 2), (5, 6)),
    }
)
AGES_US = (6_000, 2_500)
FIRST_RATE_US, MOST_RATE = 1_000_000, 1_000_000


def test_every_layout_with_two_threads_is_tried() -> None:
    with_smt = {
        name
        for name, layout in fake_machine.LAYOUTS.items()
        if any(cores.threads > 1 for cores in layout.cores)
    }
    assert with_smt == set(CPUS)


def lanes(cores: int, loads: tuple[int, int], axis: LoadAxis, *rules: Rule) -> Ladder:
    """Shared up to an age that falls with the load, and from the second load on alone at once."""
    (ladder,) = read_policy(VECTORS / "lanes.json").ladders
    shared, alone = ladder.rungs
    first, second, third = ladder.rows
    rows = (
        replace(first, last_load=loads[0] - 1, climbs=_climbs(first, AGES_US[0])),
        replace(
            second, first_load=loads[0], last_load=loads[1] - 1, climbs=_climbs(second, AGES_US[1])
        ),
        replace(third, first_load=loads[1]),
    )
    return replace(
        ladder,
        load_axis=axis,
        rungs=(replace(shared, lane=Lane.SHARED), replace(alone, lane=Lane.ALONE)),
        rows=rows,
        cost_units=(
            replace(ladder.cost_units[0], capacity_ppm=cores * 10**6),
            *ladder.cost_units[1:],
        ),
        rules=tuple(sorted({Rule.CORE_PER_REQUEST, *rules}, key=lambda rule: rule.value)),
        guard=replace(ladder.guard, max_load=MOST_RATE),
    )


def _climbs(row: Row, age_us: int) -> tuple[Climb, ...]:
    at_once, climb = row.climbs
    return (at_once, replace(climb, age_us=age_us))


def load_at(ladder: Ladder, server: Server, now_us: int, first_us: int) -> int:
    """Requests in the system, or the rate since the first tick once a second has passed."""
    if ladder.load_axis is LoadAxis.IN_SYSTEM:
        return in_system(server, now_us)
    passed_us = now_us - first_us
    if passed_us < FIRST_RATE_US:
        return ladder.guard.max_load
    arrived = sum(first_us < one.arrived_us <= now_us for own in server for one in own)
    return arrived * 10**9 // passed_us


def is_alone(ladder: Ladder, server: Server) -> list[list[bool]]:
    """By core and tick, from the requests in order: whether batch work has to be away."""
    ticks = ticks_of(server)
    loads = [load_at(ladder, server, now_us, ticks[0]) for now_us in ticks]
    found = []
    for own in server:
        alone_from = dict(_alone_from(ladder, own, list(ticks), loads))
        alone = []
        for now_us in ticks:
            one = running_at(own, now_us)
            first_us = alone_from[one] if one else None
            alone.append(first_us is not None and first_us <= now_us)
        found.append(alone)
    return found


def _alone_from(
    ladder: Ladder, own: list[Request], ticks: list[int], loads: list[int]
) -> list[tuple[Request, int | None]]:
    """For each request the first tick at which it is alone; None: never."""
    below_us, found = 0, []
    seen_before: Request | None = None
    for one in own:
        at = [k for k, now_us in enumerate(ticks) if one.started_us <= now_us < one.ended_us]
        if not at:
            continue
        follows = seen_before is not None and _nothing_between(ticks, seen_before, one)
        if not (one.waited_us and follows and Rule.BUSY_PERIOD_AGE in ladder.rules):
            below_us = 0
        last: int | None = None
        for k in at:
            used = loads[k] if Rule.REREAD_ROW in ladder.rules else loads[at[0]]
            age_us = ticks[k] - one.started_us + below_us
            if Rule.WAITED_START_LAST in ladder.rules and one.waited_us:
                age_us = 10**9
            if lookup(ladder, used, one.waited_us, age_us).rung == 1:
                last = ticks[k]
                break
        found.append((one, last))
        # The next request that is seen and has waited starts at the end of this one, or later.
        nxt = next(
            (other for other in own if other.started_us >= one.ended_us and _is_seen(other, ticks)),
            None,
        )
        end_us = nxt.started_us if nxt else one.ended_us
        below_us += (end_us if last is None else min(last, end_us)) - one.started_us
        seen_before = one
    return found


def _is_seen(one: Request, ticks: list[int]) -> bool:
    first = -(-one.started_us // ticks[0]) * ticks[0]
    return first < one.ended_us


def _nothing_between(ticks: list[int], before: Request, one: Request) -> bool:
    """Whether no tick between both requests finds the core idle."""
    first = -(-before.ended_us // ticks[0]) * ticks[0]
    return first >= one.started_us or all(
        False for now_us in range(first, one.started_us, ticks[0]) if now_us >= before.ended_us
    )


def check(layout: str, ladder: Ladder, server: Server, folder: Path) -> list[list[bool]]:
    """Compare the writes of the agent; returns what they should be."""
    cpus, siblings = CPUS[layout]
    root, groups = folder / "machine", [f"batch{core}" for core in range(len(cpus))]
    fake_machine.make(layout, root, groups)
    before = contents(root)
    policy = replace(read_policy(VECTORS / "lanes.json"), forms=(ladder,))
    _, flat = write_policy(policy, folder / "policy")
    inputs = write_inputs(folder / "inputs.csv", server)
    batch = options("--batch", {str(at): f"/{group}" for at, group in enumerate(groups)})
    words = ["run", flat, "--root", root, "--inputs", inputs, *batch]
    words += ["--cpus", ",".join(map(str, cpus))]
    writes = would_write(printed(*words, "--dry-run"))
    printed(*words)
    assert contents(root) == before
    expected = is_alone(ladder, server)
    for group, sibling, alone in zip(groups, siblings, expected, strict=True):
        own = [(path, value) for path, value in writes if f"/{group}/" in path]
        assert [value for path, value in own if path.endswith("cpuset.cpus")] == [str(sibling)]
        frozen = [value in ("1", "FROZEN") for path, value in own if "freez" in path]
        assert frozen == [bool(value) for value in without_repetitions([*map(int, alone)])]
    return expected


@pytest.mark.parametrize("layout", CPUS)
@pytest.mark.parametrize(
    "rules",
    [
        (),
        (Rule.REREAD_ROW,),
        (Rule.WAITED_START_LAST, Rule.BUSY_PERIOD_AGE),
        (Rule.BUSY_PERIOD_AGE, Rule.REREAD_ROW),
    ],
    ids=lambda rules: "+".join(rule.value for rule in rules) or "none",
)
def test_batch_work_leaves_at_the_ages_of_the_policy(
    layout: str, rules: tuple[Rule, ...], tmp_path: Path
) -> None:
    cores = len(CPUS[layout][0])
    ladder = lanes(cores, (3, 5), LoadAxis.IN_SYSTEM, *rules)
    server = drawn_server(seed=11, cores=cores, requests=30, mean_us=4_000)
    expected = check(layout, ladder, server, tmp_path)
    assert all({True, False} == set(alone) for alone in expected)


def test_rows_by_rate_follow_the_arrivals_of_the_last_seconds(tmp_path: Path) -> None:
    ladder = lanes(2, (384_000, 388_000), LoadAxis.RATE, Rule.BUSY_PERIOD_AGE)
    server = drawn_server(seed=5, cores=2, requests=280, mean_us=4_000)
    assert ticks_of(server)[-1] > 1.2 * FIRST_RATE_US
    check("amd-epp", ladder, server, tmp_path)
    ticks = ticks_of(server)
    loads = [load_at(ladder, server, now_us, ticks[0]) for now_us in ticks]
    assert {sum(load >= row.first_load for row in ladder.rows) for load in loads} == {1, 2, 3}


def test_a_core_without_a_second_thread_or_group_is_refused(tmp_path: Path) -> None:
    fake_machine.make("p-and-e-cores", tmp_path, ["batch0"])
    policy = replace(
        read_policy(VECTORS / "lanes.json"), forms=(lanes(1, (3, 5), LoadAxis.IN_SYSTEM),)
    )
    _, flat = write_policy(policy, tmp_path / "policy")
    words = ["run", flat, "--root", tmp_path, "--dry-run", "--board", tmp_path / "board"]
    done = run(*words, "--cpus", 4, "--batch", "0=/batch0")
    assert done.returncode == 69
    assert "CPU 4 has no other hardware thread for batch work" in done.stderr
    done = run(*words, "--cpus", 0)
    assert done.returncode == 64
    assert "no `--batch` is for `0` of the policy" in done.stderr
    done = run(*words, "--cpus", 0, "--batch", "0=/none")
    assert done.returncode == 69
    assert "the cgroup `/none` cannot be frozen" in done.stderr
    done = run(*words, "--cpus", 0, "--batch", "0=/batch0", "--batch", "1=/batch1")
    assert done.returncode == 64
    assert "`--batch 1=...`" in done.stderr


@pytest.mark.parametrize(
    ("own", "is_refused"),
    [
        ("0::/batch0\n", True),
        ("0::/batch0/session\n", True),
        ("12:cpu:/x\n7:freezer:/batch0\n0::/\n", True),
        ("0::/batch01\n7:cpu:/batch0\n", False),
    ],
)
def test_a_group_that_the_agent_is_in_is_not_stopped(
    own: str, is_refused: bool, tmp_path: Path
) -> None:
    fake_machine.make("p-and-e-cores", tmp_path, ["batch0"])
    (tmp_path / "proc" / "self").mkdir(parents=True)
    (tmp_path / "proc" / "self" / "cgroup").write_text(own)
    policy = replace(
        read_policy(VECTORS / "lanes.json"), forms=(lanes(1, (3, 5), LoadAxis.IN_SYSTEM),)
    )
    _, flat = write_policy(policy, tmp_path / "policy")
    words = ["run", flat, "--root", tmp_path, "--dry-run", "--board", tmp_path / "board"]
    done = run(*words, "--batch", "0=/batch0/", "--ticks", 1)
    assert done.returncode == (69 if is_refused else 0)
    assert ("the agent is in the cgroup `/batch0/`" in done.stderr) == is_refused


def test_a_server_reports_its_requests_in_shared_memory(tmp_path: Path) -> None:
    root, board = tmp_path / "machine", tmp_path / "board"
    fake_machine.make("virtual-hybrid", root, ["batch"])
    ladder = lanes(1, (3, 5), LoadAxis.IN_SYSTEM)
    policy = replace(read_policy(VECTORS / "lanes.json"), forms=(ladder,))
    _, flat = write_policy(policy, tmp_path / "policy")
    state = root / "sys/fs/cgroup/unified/batch/cgroup.freeze"
    words = ["run", flat, "--root", root, "--board", board, "--batch", "0=/batch"]
    with started(*words):
        until(lambda: board.exists() and board.stat().st_size >= 128, "the board is there")
        with board.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            report_requests(memoryview(mapped).cast("Q"), state)


def test_a_board_that_a_server_shortens_is_long_again(tmp_path: Path) -> None:
    root, board = tmp_path / "machine", tmp_path / "board"
    fake_machine.make("virtual-hybrid", root, ["batch"])
    ladder = lanes(1, (3, 5), LoadAxis.IN_SYSTEM)
    policy = replace(read_policy(VECTORS / "lanes.json"), forms=(ladder,))
    _, flat = write_policy(policy, tmp_path / "policy")
    state = root / "sys/fs/cgroup/unified/batch/cgroup.freeze"
    words = ["run", flat, "--root", root, "--board", board, "--batch", "0=/batch"]
    with started(*words) as agent:
        until(lambda: board.exists() and board.stat().st_size >= 128, "the board is there")
        for length in (0, 70):
            os.truncate(board, length)
            until(lambda: board.stat().st_size >= 128, "the board is long again")
        with board.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            report_requests(memoryview(mapped).cast("Q"), state)
        agent.terminate()
        assert agent.wait() == 0
        assert agent.stderr is not None
        assert agent.stderr.read().count("was shortened") == 1


def test_a_request_is_alone_at_its_age_and_not_at_the_next_tick(tmp_path: Path) -> None:
    """The tick is longer than the patience of this test."""
    root, board = tmp_path / "machine", tmp_path / "board"
    fake_machine.make("virtual-hybrid", root, ["batch"])
    ladder = lanes(1, (3, 5), LoadAxis.IN_SYSTEM)
    first = ladder.rows[0]
    late = replace(ladder, rows=(replace(first, climbs=_climbs(first, 400_000)), *ladder.rows[1:]))
    policy = replace(read_policy(VECTORS / "lanes.json"), forms=(late,))
    _, flat = write_policy(policy, tmp_path / "policy")
    state = root / "sys/fs/cgroup/unified/batch/cgroup.freeze"
    words = [0] * 16
    words[8] = time.monotonic_ns()
    board.write_bytes(b"".join(word.to_bytes(8, sys.byteorder) for word in words))
    command = ["run", flat, "--root", root, "--board", board, "--batch", "0=/batch"]
    with started(*command, "--tick", f"{2 * PATIENCE_S}s"):
        until(lambda: state.read_text() == "1\n", "batch work is stopped")
        assert time.monotonic_ns() - words[8] >= 400_000_000


def report_requests(words: memoryview, state: Path) -> None:
    with words:
        until(lambda: words[1] == 1, "the board is ready")
        line = 8  # of core 0; the next begins words[2] words later
        words[line] = time.monotonic_ns()
        until(lambda: state.read_text() == "1\n", "batch work is stopped")
        words[line] = 0
        until(lambda: state.read_text() == "0\n", "batch work goes on")
        words[line + 1] = 5  # waiting requests: the request that starts is alone at once
        words[line] = time.monotonic_ns()
        until(lambda: state.read_text() == "1\n", "batch work is stopped")
