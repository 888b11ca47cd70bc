"""The option server on two cores of this machine, before all other work if that is permitted."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import binary
import measure
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import workload
from arrivals import HELD_OUT
from fidelity import Served, Step
from numpy.typing import NDArray
from policies import FAST

SLOWDOWN = 2


@contextlib.contextmanager
def before_all_others() -> Iterator[bool]:
    """Programs started here run before all other work, if that is permitted, which it yields."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        yield False
        return
    try:
        yield True
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def two_cores() -> tuple[int, int]:
    """The slow and the fast core's numbers."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        raise SystemExit("the experiment needs two cores")
    return cores[0], cores[1]


@dataclass(frozen=True)
class Server:
    """A built server, and the numbers of its slow and its fast core."""

    program: Path
    cores: tuple[int, int]

    def alone_ms(self) -> NDArray[np.float64]:
        """CPU time of each held-out request, by itself on the fast core."""
        with before_all_others():
            return measure.timed(self.program, held_out(), self.cores[FAST])

    def serve(
        self, policy: Path | str, rows: NDArray[np.int64], arrival_us: NDArray[np.float64]
    ) -> Served:
        """What becomes of held-out requests that arrive at those times, in real time."""
        requests = held_out()
        chosen = (requests[row] for row in rows)
        lines = [workload.as_line(*pair) for pair in zip(chosen, arrival_us.tolist(), strict=True)]
        with before_all_others():
            answers, said = binary.run(self.program, "serve", lines, policy, *self.cores, SLOWDOWN)
        latency_ms = in_order(answers, "latency_ms")
        busy, *steps = (line.split()[1:] for line in said.splitlines())
        return Served(
            arrival_us=arrival_us,
            latency_ms=latency_ms,
            held_ms=latency_ms - in_order(answers, "wait_ms"),
            cpu_ms=in_order(answers, "cpu_ms"),
            on_fast=in_order(answers, "ended_on") == FAST,
            busy_ms=(float(busy[0]), float(busy[1])),
            steps=tuple(Step(float(at_s), *map(int, told)) for at_s, *told in steps),
        )


def held_out() -> list[workload.Request]:
    """The requests in the rows of `heldout.parquet`."""
    drawn = workload.draw(measure.REQUESTS)
    return [drawn[number] for number in pq.read_table(HELD_OUT)["request_id"].to_pylist()]


def in_order(answers: pa.Table, column: str) -> NDArray[np.float64]:
    """A column by request: the server answers in order of completion."""
    found = np.empty(answers.num_rows)
    found[answers["number"].to_numpy()] = answers[column].to_numpy()
    return found
