"""What requests use, and how batch work slows them, from counters of the processor."""

from __future__ import annotations

import csv
import mmap
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.forms.ladder.table import Ladder, LoadAxis
from tests.runtimes.agent.program import fake_machine, options, printed, run, until
from tests.runtimes.agent.servers import (
    TICK_US,
    Request,
    Server,
    cycles_of,
    drawn_server,
    memory_ns_of,
    running_at,
    ticks_of,
    write_inputs,
)
from tests.runtimes.agent.test_core_maps import CPUS, cores
from tests.runtimes.agent.test_elfen import AGES_US, lanes
from tests.runtimes.agent.test_frequencies import policy_of, tails
from tests.runtimes.agent.test_undo import started
from tests.tailc.artifact.published import VECTORS

# Of each microsecond that a core is busy.
CYCLES, STALLS = 1_000, 300
COLUMNS = ("counted_cycles", "counted_instructions", "counted_stalls")


def server_by_ticks() -> Server:
    """Requests start and end at ticks, so what is counted in a tick belongs to one of them."""
    whole = drawn_server(seed=3, cores=2, requests=30, mean_us=4)
    return [
        [Request(*(TICK_US * time_us for time_us in times(one))) for one in own] for own in whole
    ]


def times(one: Request) -> tuple[int, int, int]:
    return one.arrived_us, one.started_us, one.ended_us


def busy_us(own: list[Request], now_us: int) -> int:
    return sum(min(one.ended_us, now_us) - one.started_us for one in own if one.started_us < now_us)


def counted_inputs(path: Path, server: Server) -> Path:
    """Without what the server counts itself, and with what the processor counts."""
    with write_inputs(path, server).open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        busy = busy_us(server[int(row["core"])], int(row["time_us"]))
        counts = (str(busy * CYCLES), str(busy * 2 * CYCLES), str(busy * STALLS))
        row.update({"cycles": "", "memory_ns": ""} | dict(zip(COLUMNS, counts, strict=True)))
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)
    return path


def test_demand_from_counters_gives_the_frequencies_of_a_server_that_counts(tmp_path: Path) -> None:
    server = server_by_ticks()
    policy = policy_of(read_policy(VECTORS / "tails.json"), tails(), tmp_path)
    fake_machine.make("v2-acpi", tmp_path / "machine")
    words = ["run", policy, "--root", tmp_path / "machine", "--dry-run", "--inputs"]
    counting = printed(*words, write_inputs(tmp_path / "own.csv", server))
    ended = tmp_path / "ended.csv"
    counted = counted_inputs(tmp_path / "counted.csv", server)
    assert printed(*words, counted, "--requests", ended) == counting
    got = {tuple(map(int, row.values())) for row in csv.DictReader(ended.read_text().splitlines())}
    assert got == set(used_by(server))


def used_by(server: Server) -> Iterator[tuple[int, ...]]:
    """Of each request that has ended by the last tick, and was there at one."""
    ticks = ticks_of(server)
    for core, own in enumerate(server):
        for one in own:
            if any(running_at(own, now_us) == one for now_us in ticks):
                used = cycles_of(one, one.ended_us), memory_ns_of(one, one.ended_us)
                yield one.arrived_us, one.started_us, core, *used


def shared_at_a_loss(loss_ppm: int) -> Ladder:
    ladder = lanes(1, (3, 5), LoadAxis.IN_SYSTEM)
    shared, alone = ladder.rungs
    return replace(ladder, rungs=(replace(shared, speed_ppm=10**6 - loss_ppm), alone))


def alone_after(per_cycle: float, folder: Path) -> int | None:
    """Ticks of a shared request until it is alone, by its instructions per cycle; 2 if alone."""
    policy = replace(read_policy(VECTORS / "lanes.json"), forms=(shared_at_a_loss(250_000),))
    _, flat = write_policy(policy, folder / "policy")
    fake_machine.make("v1-acpi-smt", folder / "machine", ["batch0"])
    rows, instructions = [f"time_us,core,started_us,waiting,{','.join(COLUMNS)}"], 0.0
    for tick in range(1, 40):
        # The first request finds others that wait, and so is alone.
        is_first = tick <= 8
        started_us, waiting = (TICK_US, 5) if is_first else (10 * TICK_US, 0)
        cell = str(started_us) if tick != 9 else ""
        instructions += 2_000 if is_first else per_cycle * 1_000
        counts = f"{tick * 1_000},{round(instructions)},0"
        rows.append(f"{tick * TICK_US},0,{cell if tick < 39 else ''},{waiting},{counts}")
    inputs, journal = folder / "inputs.csv", folder / "journal.csv"
    inputs.write_text("\n".join(rows) + "\n")
    words = ["run", flat, "--root", folder / "machine", "--inputs", inputs, "--dry-run"]
    printed(*words, "--batch", "0=/batch0", "--journal", journal)
    changes = list(csv.DictReader(journal.read_text().splitlines()))
    assert [row["lane"] for row in changes[:3]] == ["alone", "idle", "shared"]
    last = changes[3]
    return None if last["lane"] == "idle" else int(last["time_us"]) // TICK_US - 10


@pytest.mark.parametrize(
    ("per_cycle", "harm"), [(1.5, 1), (1.0, 2), (0.5, 3), (1.75, 0.5), (2.0, 0), (3.0, 0)]
)
def test_shared_time_counts_by_the_harm_that_is_measured(
    per_cycle: float, harm: float, tmp_path: Path
) -> None:
    """A loss of 25 % is that of the policy; the time of one that is twice as high counts twice."""
    after = alone_after(per_cycle, tmp_path)
    assert after == (AGES_US[0] / TICK_US / harm if harm else None)


def elfen_words(folder: Path) -> list[object]:
    root = folder / "machine"
    fake_machine.make("virtual-hybrid", root, ["batch"])
    policy = replace(read_policy(VECTORS / "lanes.json"), forms=(shared_at_a_loss(250_000),))
    _, flat = write_policy(policy, folder / "policy")
    return ["run", flat, "--root", root, "--board", folder / "board", "--batch", "0=/batch"]


def test_counters_of_a_copy_of_a_machine_are_read_at_each_tick(tmp_path: Path) -> None:
    words, journal = elfen_words(tmp_path), tmp_path / "journal.csv"
    ended, counter = tmp_path / "ended.csv", tmp_path / "machine" / "counters" / "0"
    counter.parent.mkdir()
    counter.write_text("1000 500 0\n")
    words += ["--count", "cpus", "--requests", ended, "--journal", journal]

    def until_lanes(*expected: str) -> None:
        def are_there() -> bool:
            text = journal.read_text() if journal.exists() else ""
            return tuple(row["lane"] for row in csv.DictReader(text.splitlines())) == expected

        until(are_there, f"the lanes are {expected}")

    with started(*words):
        until_lanes("idle")
        with board_words(tmp_path / "board") as board:
            board[9], board[8] = 4, time.monotonic_ns()
            until_lanes("idle", "alone")
            (tmp_path / "next").write_text("6000 3000 2000\n")
            (tmp_path / "next").rename(counter)
            board[8] = 0
            until_lanes("idle", "alone", "idle")
    (row,) = csv.DictReader(ended.read_text().splitlines())
    assert (row["core"], row["cycles"]) == ("0", "3000")


def board_words(path: Path) -> memoryview:
    with path.open("r+b") as file:
        return memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")


@pytest.mark.parametrize("scope", ["cpus", "threads"])
def test_a_machine_that_counts_nothing_is_no_error(scope: str, tmp_path: Path) -> None:
    """Without the folder `counters` of a copy, the kernel of this machine is asked."""
    words = [*elfen_words(tmp_path), "--dry-run", "--ticks", 2]
    done = run(*words, "--count", scope)
    assert (done.returncode, done.stdout.splitlines()) == (0, printed(*words))
    if not Path("/sys/bus/event_source/devices/cpu").exists():
        assert done.stderr.startswith("warning: nothing is counted: ")
        assert os.strerror(2) in done.stderr or "CAP_PERFMON" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--count", "cores"], "it is `cpus`, `threads` or `/` and a cgroup"),
        (["--stalls", "14a3"], "it is an event such as `r14a3`"),
        (["--stalls", "rx"], "it is an event such as `r14a3`"),
    ],
)
def test_counters_that_cannot_be_are_explained(words: list[str], message: str) -> None:
    done = run("run", "p", *words)
    assert (done.returncode, message in done.stderr) == (64, True)


def test_a_group_without_events_and_requests_that_move_are_refused(tmp_path: Path) -> None:
    done = run(*elfen_words(tmp_path), "--dry-run", "--count", "/none")
    assert (done.returncode, "no cgroup `/none` whose events" in done.stderr) == (69, True)
    policy = replace(read_policy(VECTORS / "cores.json"), forms=(cores(),))
    _, flat = write_policy(policy, tmp_path / "types")
    words = ["run", flat, "--board", tmp_path / "board", *options("--type", CPUS)]
    done = run(*words, "--dry-run", "--count", "cpus")
    assert (done.returncode, "give `--count threads`" in done.stderr) == (64, True)
