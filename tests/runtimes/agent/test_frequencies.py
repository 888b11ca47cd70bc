"""Rubik, and slow-to-fast with frequencies: the agent sets what the reference look-ups say."""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from tailc.artifact.envelope import Policy
from tailc.artifact.files import read_policy, write_policy
from tailc.forms.controller import (
    Controller,
    arrival_rate_mrps,
    first_state,
    output_ppm,
    step,
)
from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import Ladder, LoadAxis, Rule
from tailc.forms.tail_table import Batch, Level, QueuedRequests, TailTable, level_for
from tests.runtimes.agent.program import contents, fake_machine, printed, run, until, would_write
from tests.runtimes.agent.servers import (
    Request,
    Server,
    cycles_of,
    drawn_server,
    in_system,
    memory_ns_of,
    running_at,
    ticks_of,
    waiting_at,
    without_repetitions,
    write_inputs,
)
from tests.runtimes.agent.test_undo import started
from tests.tailc.artifact.published import VECTORS

CORES = 3
# By layout the CPUs of the cores, and the number of the cpufreq policy of each.
CPUS = MappingProxyType(
    {
        "v2-acpi": ((0, 1, 2), (0, 1, 2)),
        "v1-acpi-smt": ((1, 2, 3), (1, 2, 3)),
        "two-sockets-hwp": ((0, 7, 15), (0, 7, 15)),
        "p-and-e-cores": ((0, 2, 5), (0, 2, 5)),
        "amd-epp": ((4, 5, 6), (4, 5, 6)),
        "intel-passive": ((0, 1, 3), (0, 1, 3)),
        "big-little": ((0, 1, 4), (0, 0, 4)),
    }
)
# Frequencies that every layout has.
KHZ = (800_000, 1_100_000, 1_400_000, 1_700_000)


def test_every_layout_with_clocks_is_tried() -> None:
    with_clocks = {
        name
        for name, layout in fake_machine.LAYOUTS.items()
        if all(cores.clock is not None for cores in layout.cores)
    }
    assert with_clocks == set(CPUS)


def tails(batch: bool = False) -> TailTable:
    table = read_policy(VECTORS / "tails.json").tail_table
    assert table is not None
    levels = tuple(Level(khz, 1_000) for khz in KHZ)
    work = Batch(KHZ[1], KHZ[2], 1_000) if batch else None
    return replace(
        table, bound_us=9_000, levels=levels, cores=CORES, batch=work, cycles=_long(table)
    )


def _long(table: TailTable) -> tuple:
    """Rows of some milliseconds instead of a fraction of one."""
    scaled = lambda row, by: replace(  # noqa: E731
        row, from_elapsed=row.from_elapsed * by, left=tuple(left * by for left in row.left)
    )
    return tuple(scaled(row, 12) for row in table.cycles)


def khz_of(
    table: TailTable, server: Server, core: int, now_us: int, scale_ppm: int = 1_000_000
) -> int:
    """By the definition of the form; a core without requests is ready for the next one."""
    own = server[core]
    running = running_at(own, now_us)
    if running is None:
        if table.batch is not None:
            return table.batch.frequency_khz
        return table.levels[level_for(table, QueuedRequests((0,)), scale_ppm)].frequency_khz
    requests = [running, *waiting_at(own, now_us)]
    ages_ns = tuple((now_us - one.arrived_us) * 1_000 for one in requests)
    progress = (cycles_of(running, now_us), memory_ns_of(running, now_us))
    return table.levels[
        level_for(table, QueuedRequests(ages_ns, *progress), scale_ppm)
    ].frequency_khz


def policy_of(policy: Policy, form: TailTable | Ladder, folder: Path) -> Path:
    return write_policy(replace(policy, forms=(form,)), folder / "policy")[1]


def tabled(layout: str, cpu: int, khz: int) -> int:
    """The next frequency that the driver has."""
    folder = f"/policy{cpu}/"
    files = dict(fake_machine.LAYOUTS[layout].files(()))
    for path, text in files.items():
        if folder in path and path.endswith("scaling_available_frequencies"):
            return min(int(listed) for listed in text.split() if int(listed) >= khz)
    return khz


def check_frequencies(layout: str, lines: list[str], wanted: dict[int, list[int]]) -> None:
    """`wanted`: by cpufreq policy, the frequency at each tick."""
    written: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path, value in would_write(lines):
        *_, folder, name = path.split("/")
        written[int(folder.removeprefix("policy"))][name].append(value)
    assert set(written) == set(wanted)
    for number, frequencies in wanted.items():
        expected = without_repetitions([tabled(layout, number, khz) for khz in frequencies])
        files = written[number]
        if "scaling_setspeed" in files:
            assert files["scaling_governor"] == ["userspace"]
            assert list(map(int, files["scaling_setspeed"])) == expected
            continue
        assert list(map(int, files["scaling_max_freq"])) == expected
        # The first value is that of the hardware, so that the upper limit can follow.
        least, *lower = map(int, files["scaling_min_freq"])
        assert lower == (expected if least != expected[0] else expected[1:])
        check_limits_never_cross(path_values(lines, number))


def path_values(lines: list[str], number: int) -> list[tuple[str, int]]:
    return [
        (path.rsplit("/", 1)[1], int(value))
        for path, value in would_write(lines)
        if f"/policy{number}/" in path
    ]


def check_limits_never_cross(values: list[tuple[str, int]]) -> None:
    limits: dict[str, int] = {}
    for name, khz in values:
        limits[name] = khz
        assert limits.get("scaling_min_freq", 0) <= limits.get("scaling_max_freq", khz)


def dry_run(layout: str, policy: Path, server: Server, folder: Path) -> list[str]:
    root = folder / "machine"
    fake_machine.make(layout, root)
    before = contents(root)
    inputs = write_inputs(folder / "inputs.csv", server)
    cpus = ",".join(map(str, CPUS[layout][0]))
    words = ["run", policy, "--root", root, "--inputs", inputs, "--cpus", cpus]
    lines = printed(*words, "--dry-run")
    printed(*words)
    assert contents(root) == before
    return lines


@pytest.mark.parametrize("layout", CPUS)
def test_each_core_has_the_frequency_of_the_tail_table(layout: str, tmp_path: Path) -> None:
    table = tails(batch=layout.startswith("v"))
    policy = policy_of(read_policy(VECTORS / "tails.json"), table, tmp_path)
    server = drawn_server(seed=len(layout), cores=CORES, requests=25, mean_us=3_000)
    lines = dry_run(layout, policy, server, tmp_path)
    wanted: dict[int, list[int]] = defaultdict(list)
    for now_us in ticks_of(server):
        fastest: dict[int, int] = {}
        for core, number in enumerate(CPUS[layout][1]):
            khz = khz_of(table, server, core, now_us)
            fastest[number] = max(khz, fastest.get(number, 0))
        for number, khz in fastest.items():
            wanted[number].append(khz)
    check_frequencies(layout, lines, wanted)
    assert all(len(set(frequencies)) > 1 for frequencies in wanted.values())


def climbing_ladder(*rules: Rule) -> Ladder:
    """Two frequencies of one type of core, by requests in the system."""
    (ladder,) = read_policy(VECTORS / "lanes.json").ladders
    rungs = tuple(
        replace(rung, frequency_khz=khz)
        for rung, khz in zip(ladder.rungs, (KHZ[0], KHZ[3]), strict=True)
    )
    ages = (6_000, 2_500)
    rows = tuple(
        replace(row, first_load=first, last_load=last, climbs=climbs)
        for row, first, last, climbs in zip(
            ladder.rows,
            (0, 3, 5),
            (2, 4, None),
            [
                *(
                    (row.climbs[0], replace(row.climbs[1], age_us=age))
                    for row, age in _rows(ladder, ages)
                ),
                ladder.rows[2].climbs,
            ],
            strict=True,
        )
    )
    units = (replace(ladder.cost_units[0], capacity_ppm=CORES * 1_000_000), *ladder.cost_units[1:])
    return replace(
        ladder,
        load_axis=LoadAxis.IN_SYSTEM,
        rungs=rungs,
        rows=rows,
        cost_units=units,
        rules=tuple(sorted({Rule.CORE_PER_REQUEST, *rules}, key=lambda rule: rule.value)),
        guard=replace(ladder.guard, max_load=100),
    )


def _rows(ladder: Ladder, ages: tuple[int, ...]) -> list:
    return list(zip(ladder.rows, ages, strict=False))


def rungs_of(ladder: Ladder, server: Server) -> list[list[int | None]]:
    """By tick and core, from the ages and loads of the requests; None on an idle core."""
    rungs: dict[object, int] = {}
    loads: dict[object, int] = {}
    found = []
    for now_us in ticks_of(server):
        load = in_system(server, now_us)
        row: list[int | None] = []
        for core, own in enumerate(server):
            one = running_at(own, now_us)
            if one is None:
                row.append(None)
                continue
            key = (core, one)
            loads.setdefault(key, load)
            used = load if Rule.REREAD_ROW in ladder.rules else loads[key]
            rung = lookup(ladder, used, one.waited_us, now_us - one.started_us).rung
            rungs[key] = max(rung, rungs.get(key, 0))
            row.append(rungs[key])
        found.append(row)
    return found


@pytest.mark.parametrize("layout", CPUS)
def test_each_core_has_the_frequency_of_its_request_s_rung(layout: str, tmp_path: Path) -> None:
    rules = (Rule.REREAD_ROW,) if "-a" in layout else (Rule.AGE_FROM_ARRIVAL,)
    ladder = climbing_ladder(*rules)
    policy = policy_of(read_policy(VECTORS / "lanes.json"), ladder, tmp_path)
    server = drawn_server(seed=3, cores=CORES, requests=20, mean_us=4_000)
    lines = dry_run(layout, policy, server, tmp_path)
    wanted: dict[int, list[int]] = defaultdict(list)
    for now_us, rungs in zip(ticks_of(server), rungs_of(ladder, server), strict=True):
        fastest: dict[int, int] = {}
        for rung, number in zip(rungs, CPUS[layout][1], strict=True):
            next_rung = lookup(ladder, in_system(server, now_us) + 1, 0, 0).rung
            khz = ladder.rungs[next_rung if rung is None else rung].frequency_khz or 0
            fastest[number] = max(khz, fastest.get(number, 0))
        for number, khz in fastest.items():
            wanted[number].append(khz)
    check_frequencies(layout, lines, wanted)


def outputs_of(controller: Controller, server: Server) -> list[int]:
    """By tick the output of the controller, which is stepped with the ends that ticks show."""
    state, outputs, latencies_us = first_state(controller), [], []
    before: list[Request | None] = [None] * len(server)
    stepped_us = ticks_of(server)[0]
    arrived = sum(one.arrived_us <= stepped_us for own in server for one in own)
    for now_us in ticks_of(server):
        arrivals = sum(one.arrived_us <= now_us for own in server for one in own)
        for core, own in enumerate(server):
            one, now = before[core], running_at(own, now_us)
            before[core] = now
            if one is None or one == now:
                continue
            latencies_us.append((now.started_us if now else now_us) - one.arrived_us)
            if len(latencies_us) % controller.epoch_requests == 0:
                window = sorted(latencies_us[-controller.window_requests :])
                place = -(-controller.percentile_ppm * len(window) // 1_000_000)
                rate = arrival_rate_mrps(arrivals - arrived, now_us - stepped_us)
                state = step(controller, state, window[place - 1], rate)
                stepped_us, arrived = now_us, arrivals
        outputs.append(output_ppm(controller, state))
    return outputs


def test_the_controller_of_a_policy_is_stepped_with_the_ends_of_requests(tmp_path: Path) -> None:
    trimmed = read_policy(VECTORS / "tails-trim.json")
    assert trimmed.controller is not None
    controller = replace(
        trimmed.controller,
        target_us=9_000,
        epoch_requests=4,
        window_requests=12,
        gains=tuple(
            replace(row, kp=row.kp // 8, ki=row.ki // 8) for row in trimmed.controller.gains
        ),
    )
    table = tails()
    policy = write_policy(replace(trimmed, forms=(table, controller)), tmp_path / "policy")[1]
    server = drawn_server(seed=6, cores=CORES, requests=40, mean_us=3_000)
    lines = dry_run("v2-acpi", policy, server, tmp_path)
    outputs = outputs_of(controller, server)
    assert len(set(outputs)) > 5
    wanted: dict[int, list[int]] = defaultdict(list)
    for now_us, output in zip(ticks_of(server), outputs, strict=True):
        for core in range(CORES):
            wanted[core].append(khz_of(table, server, core, now_us, output))
    check_frequencies(
        "v2-acpi", lines, {CPUS["v2-acpi"][1][core]: own for core, own in wanted.items()}
    )


def test_a_newer_table_takes_effect_and_one_for_other_cores_does_not(tmp_path: Path) -> None:
    root, board = tmp_path / "machine", tmp_path / "board"
    fake_machine.make("amd-epp", root)
    before, table = contents(root), replace(tails(), cores=1)
    policy = read_policy(VECTORS / "tails.json")
    flat = policy_of(policy, replace(table, levels=(Level(KHZ[0], 1),)), tmp_path)
    limit = root / "sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"
    with started("run", flat, "--root", root, "--board", board) as agent:
        until(lambda: limit.read_text() == f"{KHZ[0]}\n", "the first frequency is set")
        other = replace(policy, generation=8, forms=(replace(table, cores=2),))
        write_policy(other, tmp_path / "next")[1].rename(flat)
        assert agent.stderr is not None
        assert "not applied" in agent.stderr.readline()
        assert "the policy is for 2 cores, but there are 1 CPUs" in agent.stderr.readline()
        newer = replace(policy, generation=9, forms=(replace(table, levels=(Level(KHZ[2], 1),)),))
        write_policy(newer, tmp_path / "next")[1].rename(flat)
        until(lambda: limit.read_text() == f"{KHZ[2]}\n", "the next frequency is set")
    until(lambda: contents(root) == before, "the watchdog restores all limits")


def test_a_server_that_miscounts_its_waiting_requests_does_not_end_the_agent(
    tmp_path: Path,
) -> None:
    """-1 waiting requests are more than any table has, so the core runs at the last level."""
    fake_machine.make("amd-epp", tmp_path)
    policy = policy_of(read_policy(VECTORS / "tails.json"), replace(tails(), cores=1), tmp_path)
    board, header = tmp_path / "board", 8
    started_ns, below_0 = 1, 2**64 - 1
    board.write_bytes(array("Q", [0] * header + [started_ns, below_0] + [0] * 64).tobytes())
    words = ("run", policy, "--root", tmp_path, "--dry-run", "--board", board, "--ticks", 2)
    khz = [int(value) for path, value in would_write(printed(*words)) if "max_freq" in path]
    assert khz == [KHZ[-1]]


def test_a_board_is_not_opened_through_a_link(tmp_path: Path) -> None:
    fake_machine.make("amd-epp", tmp_path)
    policy = policy_of(read_policy(VECTORS / "tails.json"), replace(tails(), cores=1), tmp_path)
    target, board = tmp_path / "target", tmp_path / "board"
    target.write_text("not to be changed\n")
    board.symlink_to(target)
    done = run("run", policy, "--root", tmp_path, "--board", board, "--ticks", 1)
    assert (done.returncode, target.read_text()) == (73, "not to be changed\n")


@pytest.mark.parametrize("layout", ["virtual-v2", "virtual-hybrid"])
def test_a_machine_without_clocks_is_refused(layout: str, tmp_path: Path) -> None:
    fake_machine.make(layout, tmp_path)
    table = replace(tails(), cores=2)
    policy = policy_of(read_policy(VECTORS / "tails.json"), table, tmp_path)
    done = run("run", policy, "--root", tmp_path, "--dry-run", "--board", tmp_path / "board")
    assert done.returncode == 69
    assert "CPU 0 has no cpufreq" in done.stderr


def test_a_policy_that_is_too_fast_or_for_other_cores_is_refused(tmp_path: Path) -> None:
    fake_machine.make("big-little", tmp_path)
    fast = replace(tails(), levels=(Level(800_000, 1), Level(2_400_000, 2)))
    policy = policy_of(read_policy(VECTORS / "tails.json"), fast, tmp_path)
    words = ["run", policy, "--root", tmp_path, "--dry-run", "--board", tmp_path / "board"]
    assert run(*words, "--cpus", "4-6", "--ticks", 1).returncode == 0
    done = run(*words, "--cpus", "2-4")
    assert done.returncode == 69
    assert "the policy uses 2400000 kHz" in done.stderr
    done = run(*words, "--cpus", "4-5")
    assert done.returncode == 69
    assert "the policy is for 3 cores, but there are 2 CPUs" in done.stderr
    done = run(*words[:-2], "--cpus", "4-6")
    assert done.returncode == 64
    assert "add `--board /dev/shm/tailc-board`" in done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("time_us,core\n1,0\n", "no column `started_us`"),
        ("time_us,core,started_us\n", "has no rows"),
        ("time_us,core,started_us\n5,0,\n4,0,\n", "inputs.csv:3: `4` in column `time_us`"),
        ("time_us,core,started_us\n5,1,\n5,1,\n", "inputs.csv:3: `1` in column `core` has two"),
        ("time_us,core,started_us\n5,0,\xff\n", "is no text in UTF-8"),
        ("time_us,core,started_us\n5,3,\n", "inputs.csv:2: `3` in column `core` is not below 3"),
        ("time_us,core,started_us\n5,0,9\n", "`9` in column `started_us` is after its time"),
        ("time_us,core,started_us,queue_us\n5,0,1,2 x\n", "is no list of times"),
        (f"time_us,core,started_us\n{2**64 - 1},0,1\n", "is too large for a time"),
        (f"time_us,core,started_us\n5,0,{2**64 - 1}\n", "is too large for a time"),
        (f"time_us,core,started_us,waiting\n5,0,1,{2**64 - 1}\n", "is above 65536"),
    ],
)
def test_wrong_inputs_are_refused_with_their_place(
    content: str, message: str, tmp_path: Path
) -> None:
    fake_machine.make("v2-acpi", tmp_path)
    policy = policy_of(read_policy(VECTORS / "tails.json"), tails(), tmp_path)
    inputs = tmp_path / "inputs.csv"
    inputs.write_text(content, encoding="latin-1")
    done = run("run", policy, "--root", tmp_path, "--inputs", inputs, "--dry-run")
    assert done.returncode == 65
    assert message in done.stderr
