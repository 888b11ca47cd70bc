"""How many workers of a cluster one command keeps busy, simulated from measured costs.

    python -m bench.fleet_scale [--tasks 1000]

The command and the scheduler serve one task after the other. Their processor time for a task is
measured with empty tasks on a real scheduler with two workers. The lengths of tasks are those of
compiles of the examples with normal effort, measured here in one process. A simulated cluster then
runs a hundred tasks a worker: a free worker gets its next task when the command and the scheduler
have served it.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import random
import tempfile
import time
from pathlib import Path

from bench.fleet import EXAMPLES, write_fleet
from bench.timing import show
from tailc.studies.fleet import FleetOptions, compile_fleet, find_services
from tailc.tasks.cluster import connected
from tailc.tasks.processes import LocalProcesses

WORKERS = (10, 100, 1_000, 10_000)
_TASKS_A_WORKER = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1_000)
    cost_s = served_s(parser.parse_args().tasks)
    lengths_s = compile_lengths_s()
    mean_s = sum(lengths_s) / len(lengths_s)
    print(f"{cost_s * 1e3:.2f} ms of the command and the scheduler for a task of {mean_s:.1f} s")
    rows = [[f"{n:,}", f"{efficiency(n, cost_s, lengths_s):.1%}"] for n in WORKERS]
    show(["workers", "share of their time in tasks"], rows)


def served_s(tasks: int) -> float:
    """Processor time of the command and the scheduler for a task [s]."""
    with connected("local:2") as engine:
        engine.run_all(_empty, range(10), _ignore)
        begun = time.process_time()
        engine.run_all(_empty, range(tasks), _ignore)
        return (time.process_time() - begun) / tasks


def compile_lengths_s() -> list[float]:
    """Processor time of the compile of each example [s]."""
    ended_s: list[float] = []

    def note_end(_doing: str, _share: float) -> None:
        ended_s.append(time.process_time())

    with tempfile.TemporaryDirectory() as folder:
        fleet = Path(folder, "fleet")
        write_fleet(fleet, len(EXAMPLES))
        options = FleetOptions(f"{folder}/policies", {}, allows_misses=True)
        compile_fleet(find_services(str(fleet)), options, LocalProcesses(1), note_end)
    return [end - begun for begun, end in itertools.pairwise(ended_s)]


def efficiency(workers: int, cost_s: float, lengths_s: list[float]) -> float:
    """Share of the workers' time in tasks, until the last one ends."""
    tasks = random.Random(1).choices(lengths_s, k=_TASKS_A_WORKER * workers)
    free_s = [0.0] * workers
    server_s = 0.0
    for length_s in tasks:
        server_s = max(server_s, heapq.heappop(free_s)) + cost_s
        heapq.heappush(free_s, server_s + length_s)
    return sum(tasks) / (workers * max(free_s))


def _empty(_number: int) -> None:
    pass


def _ignore(_number: int, _result: object) -> None:
    pass


if __name__ == "__main__":
    main()
