"""Tail tables by hand and at random, and replays of them."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.forms.tail_table import Batch, Level, Sleep, TailRow, TailTable, Transition
from tailc.models.core_queues.chip import BatchCore, Chip, ProgramCounters
from tailc.models.core_queues.clocks import Clocks, Rule
from tailc.models.core_queues.level_progress import level_progress
from tailc.models.core_queues.model import CoreQueues, random_cores
from tailc.models.core_queues.outcome import CoreQueuesOutcome
from tailc.models.steering import Steering
from tailc.models.workload import Workload
from tests.reference.replay_frequencies_plain import Request

US, MS, PPM = 1_000, 1_000_000, 1_000_000
GHZ = 1_000_000  # in kHz
MOST = 4096


def tail_table(
    *cycles: tuple[int, ...],
    memory_ns: tuple[tuple[int, ...], ...] | None = None,
    bound_us: int = 1_000,
    ghz: tuple[float, ...] = (1, 2),
    power_mw: tuple[int, ...] = (1_000, 4_000),
    sleep: Sleep | None = None,
    cores: int = 1,
    batch: Batch | None = None,
    percentile_ppm: int = 950_000,
) -> TailTable:
    """Rows as (from elapsed, left at each position); without memory rows no memory time is left."""
    memory_ns = memory_ns or ((0, *[0] * (len(cycles[0]) - 1)),)
    return TailTable(
        percentile_ppm,
        bound_us,
        tuple(Level(round(f * GHZ), p) for f, p in zip(ghz, power_mw, strict=True)),
        tuple(TailRow(row[0], row[1:]) for row in cycles),
        tuple(TailRow(row[0], row[1:]) for row in memory_ns),
        sleep or Sleep(0, 0),
        cores,
        batch,
        GHZ,
    )


def clocks(table: TailTable, rule: Rule | None = None, reference_khz: int = GHZ) -> Clocks:
    return Clocks(table, reference_khz, rule)


def demands(at: Clocks, work_ns: NDArray[np.int64], memory_ns: NDArray[np.int64] | None = None):
    """Each request once, its work at the reference clock."""
    count = len(work_ns)
    frequencies_khz = [level.frequency_khz for level in at.table.levels]
    return Workload(
        work_ns,
        np.ones(count, np.int64),
        np.zeros(count, np.int32),
        np.ones((1, 1)),
        memory_ns,
        level_progress(work_ns, memory_ns, frequencies_khz, at.reference_khz),
    )


def replayed(
    at: Clocks,
    arrival_ns: list[int] | NDArray[np.int64],
    work_ns: list[int] | NDArray[np.int64],
    memory_ns: list[int] | NDArray[np.int64] | None = None,
    *,
    steering: Steering | None = None,
    measured_from: int = 0,
    most: int = MOST,
) -> CoreQueuesOutcome:
    """Requests in order of arrival."""
    memory = None if memory_ns is None else np.array(memory_ns, np.int64)
    load = demands(at, np.array(work_ns, np.int64), memory)
    engine = CoreQueues("x", at, steering).engine(1_000, most)
    times = np.array(arrival_ns, np.int64)
    return engine.replay(load, np.arange(len(times)), times, measured_from)


@dataclass(frozen=True)
class RandomServer:
    clocks: Clocks
    controller: Controller | None


def random_server(rng: random.Random) -> RandomServer:
    positions = rng.randint(1, 5)
    levels = rng.randint(1, 6)
    khz = sorted(rng.sample(range(300_000, 4_000_000), levels))
    batch = None
    if rng.random() < 0.3:
        batch = Batch(rng.choice(khz), rng.choice(khz), rng.randint(0, 9_000))
    table = TailTable(
        rng.choice([500_000, 900_000, 950_000]),
        rng.randint(1, 4_000),
        tuple(Level(f, rng.randint(0, 9_000)) for f in khz),
        _random_rows(rng, positions, 2_000_000),
        _random_rows(rng, positions, 400_000),
        Sleep(rng.randint(0, 500), rng.choice([0, rng.randint(1, 200_000)])),
        rng.randint(1, 4),
        batch,
        rng.randint(500_000, 4_000_000),
    )
    assert table.reference_khz is not None
    controller = _random_controller(rng) if rng.random() < 0.5 else None
    return RandomServer(Clocks(table, table.reference_khz), controller)


def with_random_transition(rng: random.Random, server: RandomServer) -> RandomServer:
    """Half of the time, changes of frequency halt a core or take energy."""
    if rng.random() < 0.5:
        return server
    halt_ns = rng.choice([0, 1, rng.randint(1, 300_000)])
    transition = Transition(halt_ns, rng.choice([0, rng.randint(1, 50_000)]))
    table = replace(server.clocks.table, transition=transition)
    return replace(server, clocks=replace(server.clocks, table=table))


def with_random_chip(rng: random.Random, at: Clocks) -> Clocks:
    """The cores on one chip, whose power does not fall from level to level."""
    powers_mw = sorted(rng.randint(0, 9_000) for _ in at.table.levels)
    levels = tuple(
        replace(level, power_mw=mw) for level, mw in zip(at.table.levels, powers_mw, strict=True)
    )
    table = replace(at.table, levels=levels, batch=None)
    batch = tuple(
        None if rng.random() < 0.2 else _random_batch(rng, len(levels)) for _ in range(table.cores)
    )
    shared_mw = rng.randint(0, 9_000)
    chip = Chip(_random_counters(rng), batch, shared_mw)
    least_mw = chip.least_mw(powers_mw[0], table.sleep.power_mw)
    limit_mw = rng.choice([None, least_mw, least_mw + rng.randint(0, 9_000 * table.cores)])
    return replace(at, table=table, chip=replace(chip, limit_mw=limit_mw))


def _random_batch(rng: random.Random, levels: int) -> BatchCore:
    return BatchCore(
        _random_counters(rng),
        tuple(sorted(rng.randint(0, 9_000) for _ in range(levels))),
        rng.randrange(levels),
        rng.randrange(levels),
        rng.choice([0, rng.randint(1, 100_000)]),
    )


def _random_counters(rng: random.Random) -> ProgramCounters:
    return ProgramCounters(rng.choice([0, 500_000, 999_999]), rng.randint(1, 3_000))


def _random_rows(rng: random.Random, positions: int, most: int) -> tuple[TailRow, ...]:
    froms = [0, *sorted(rng.sample(range(1, most), rng.randint(0, 4)))]
    return tuple(
        TailRow(start, tuple(sorted(rng.randint(0, most) for _ in range(positions))))
        for start in froms
    )


def _random_controller(rng: random.Random) -> Controller:
    epoch = rng.randint(1, 8)
    gains = [GainRow(0, *(rng.randint(-(2**20), 2**20) for _ in range(3)))]
    if rng.random() < 0.5:
        rate = rng.randint(1, 2_000_000)
        gains.append(GainRow(rate, *(rng.randint(-(2**20), 2**20) for _ in range(3))))
    return Controller(
        Actuator.LATENCY_BOUND,
        rng.choice([500_000, 950_000]),
        rng.randint(1, 3_000),
        epoch,
        rng.randint(epoch, 20),
        PPM,
        rng.randint(0, PPM),
        rng.randint(PPM, 2 * PPM),
        32,
        tuple(gains),
    )


def random_requests(rng: random.Random, at: Clocks, count: int = 40) -> list[Request]:
    """Often at the same instant, on the cores that the replay deals."""
    mean_ns = rng.choice([50_000, 300_000, 1_000_000]) // at.table.cores
    step_ns = rng.choice([1, 1_000, 100_000])
    now, requests = 0, []
    for number in range(count):
        work_ns = rng.choice([rng.randint(1, 900_000), rng.randint(1, 30) * 10_000])
        memory_ns = rng.choice([0, work_ns, rng.randint(0, work_ns)])
        requests.append(Request(number, now, work_ns, memory_ns))
        now += int(rng.expovariate(1 / mean_ns)) // step_ns * step_ns
    core = random_cores(np.array([r.arrival_ns for r in requests]), at.table.cores)
    for request, number in zip(requests, core.tolist(), strict=True):
        request.core = number
    return requests
