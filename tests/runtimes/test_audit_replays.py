"""The simulator of `tailc-audit`, written from the documentation, against the compiled replay."""

from __future__ import annotations

import dataclasses
import json
import os
import random
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tailc.artifact.plain import to_plain
from tailc.artifact.shapes import record_of
from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import Guard, Ladder, Rule
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload
from tests.reference.replay_plain import Request
from tests.runtimes.audit import CRATE, TARGET, cargo
from tests.runtimes.conformance import succeeded
from tests.tailc.models.shared_cores.engine_case import random_requests, requests_at_once
from tests.tailc.models.shared_cores.servers import (
    MS,
    PPM,
    RandomServer,
    random_ladder,
    sharing,
    without,
)

SERVERS_IN_A_RUN = 30


@pytest.fixture(scope="module", autouse=True)
def program() -> None:
    cargo("build", "--examples")


def server_of_few_to_many(rng: random.Random) -> Ladder:
    ladder = dataclasses.replace(random_ladder(rng), guard=Guard(1, 64))
    if rng.random() < 0.5:
        ladder = without(ladder, rng.choice([Rule.REREAD_ROW, Rule.NEVER_DESCEND]))
    if rng.random() < 0.5:
        return ladder
    start_ppm = rng.choice([None, rng.randint(1, 8) * PPM // 2])
    give_up_us = rng.randint(1, 80) * 500 if start_ppm is None or rng.random() < 0.5 else None
    return sharing(ladder, Sharing(None if start_ppm is None else 0, start_ppm, give_up_us))


def written(folder: Path, ladder: Ladder, requests: list[Request]) -> list[str]:
    """Paths of the ladder, of its sample and of the arrivals."""
    folder.mkdir()
    form = {"form": "ladder", **to_plain(record_of(Ladder), ladder)}
    (folder / "ladder.json").write_text(json.dumps(form))
    by_demand = sorted(requests, key=lambda request: (request.work_ns, request.number))
    names = [f"speedup_{degree + 1}" for degree in range(len(ladder.rungs))]
    lines = [",".join(["demand_ms", "weight", *names])]
    for request in by_demand:
        speeds = [str(float(speed)) for speed in request.speed]
        lines.append(",".join([f"{request.work_ns / MS:.6f}", "1", *speeds]))
    (folder / "design.csv").write_text("\n".join(lines) + "\n")
    place = {request.number: at for at, request in enumerate(by_demand)}
    times = [f"{request.arrival_ns},{place[request.number]}\n" for request in requests]
    (folder / "arrivals.csv").write_text("".join(times))
    return [str(folder / name) for name in ("ladder.json", "design.csv", "arrivals.csv")]


def compiled_latencies(ladder: Ladder, requests: list[Request]) -> NDArray[np.int64]:
    count = len(requests)
    workload = Workload(
        np.array([request.work_ns for request in requests]),
        np.ones(count, np.int64),
        np.arange(count, dtype=np.int32),
        np.array([[float(speed) for speed in request.speed] for request in requests]),
    )
    arrival_ns = np.array([request.arrival_ns for request in requests])
    engine = SharedCores("x", (ladder,)).engine(1, 999, None)
    return engine.replay(workload, np.arange(count), arrival_ns, 0).latency_ns


def blocks(in_every_run: int, when_fuzzing: int) -> list:
    more = range(in_every_run, when_fuzzing)
    return [*range(in_every_run), *(pytest.param(n, marks=pytest.mark.fuzz) for n in more)]


@pytest.mark.parametrize("block", blocks(2, 100))
@pytest.mark.parametrize("requests_of", [random_requests, requests_at_once])
def test_both_replays_give_each_request_the_same_latency(
    block: int, requests_of, tmp_path: Path
) -> None:
    rng = random.Random(block)
    cases, files = [], []
    for number in range(SERVERS_IN_A_RUN):
        server = RandomServer([server_of_few_to_many(rng)], None, boosts_at_start=False)
        requests = requests_of(rng, server)
        cases.append((server, requests))
        files += written(tmp_path / str(number), server.ladders[0], requests)
    command = [str(TARGET / "debug" / "examples" / "replay"), *files]
    output = "\n".join(succeeded(command, CRATE, dict(os.environ)))
    theirs = [[int(line) for line in part.split()] for part in output.split("\n\n") if part]
    assert len(theirs) == len(cases)
    for (server, requests), latency_ns in zip(cases, theirs, strict=True):
        ours_ns = compiled_latencies(server.ladders[0], requests)
        # Work is counted in floating point: an instant may move by a nanosecond.
        assert np.abs(ours_ns - latency_ns).max() <= 3, (server, requests)
