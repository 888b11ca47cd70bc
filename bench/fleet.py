"""Time compiles of a fleet in processes and on a Dask cluster.

    python -m bench.fleet [--services 60] [--tasks 50]

The fleet has the specs of the examples in turn, each with a name of its own, and is compiled with
effort quick, with one thread a service: in one process, in two, on one new worker and on two; then
again without a change and with a change of every twentieth service, in two processes. All policies
must have the same bytes. Below, tasks of one second of computing each, in two processes and on two
workers.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.timing import ROOT, cpu_seconds, end, show
from tailc.studies.fleet import FleetOptions, ServiceResult, compile_fleet, find_services
from tailc.tasks.cluster import connected
from tailc.tasks.engine import TaskEngine
from tailc.tasks.processes import LocalProcesses
from tailc.threads import at_most_threads

EXAMPLES = ("autopro", "bing-fm", "elfen", "finance", "greenpar", "rubik", "search")
_NAME = "name: "
_ROUNDS = 10_000
_TURNS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--services", type=int, default=60)
    parser.add_argument("--tasks", type=int, default=50)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fleet = Path(folder, "fleet")
        write_fleet(fleet, arguments.services)
        _time_compiles(fleet)
    _time_tasks(arguments.tasks)
    end()


def write_fleet(folder: Path, services: int) -> None:
    """Write the specs of the examples in turn, each in its own folder with its data."""
    for number in range(services):
        example = EXAMPLES[number % len(EXAMPLES)]
        copy = folder / f"service{number:04}"
        shutil.copytree(ROOT / "examples" / example, copy, ignore=_not_inputs)
        _rename(copy / "service.yaml", f"s{number:04}")


def _not_inputs(_folder: str, names: list[str]) -> list[str]:
    suffixes = (".yaml", ".csv", ".parquet")
    return [name for name in names if not name.endswith(suffixes) or name.endswith("queue.yaml")]


def _rename(spec: Path, name: str) -> None:
    lines = spec.read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(_NAME))
    lines[at] = f"{_NAME}{name}"
    spec.write_text("\n".join(lines) + "\n")


def _time_compiles(fleet: Path) -> None:
    outputs = {
        name: fleet.parent / name.replace(" ", "-")
        for name in ("1 process", "2 processes", "1 worker of Dask", "2 workers of Dask")
    }
    one, two, *_ = outputs.values()
    with at_most_threads(1):
        _print("1 process", lambda: _compiled(fleet, one, LocalProcesses(1)))
        _print("2 processes", lambda: _compiled(fleet, two, LocalProcesses(2)))
        for workers, output in enumerate(list(outputs.values())[2:], start=1):
            with connected(f"local:{workers}") as cluster:
                name = f"{workers} new workers of Dask"
                _print(name, partial(_compiled, fleet, output, cluster))
    assert all(_contents(output) == _contents(one) for output in outputs.values())
    print("the files of all four are the same")
    _print("2 processes, nothing changed", lambda: _compiled(fleet, two, LocalProcesses(2)))
    for number, spec in enumerate(sorted(fleet.glob("*/service.yaml"))):
        if number % 20 == 0:
            _rename(spec, f"changed{number:04}")
    _print("2 processes, 5 % changed", lambda: _compiled(fleet, two, LocalProcesses(2)))


def _compiled(fleet: Path, output: Path, engine: TaskEngine) -> tuple[ServiceResult, ...]:
    options = FleetOptions(str(output), {"effort": "quick"}, allows_misses=True)
    return compile_fleet(find_services(str(fleet)), options, engine)


def _contents(folder: Path) -> dict[Path, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): path.read_bytes() for path in files}


def _print(name: str, run: Callable[[], tuple[ServiceResult, ...]]) -> None:
    begun_s, begun_cpu_s = time.perf_counter(), cpu_seconds()
    counts = Counter(one.status.value for one in run())
    text = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    wall_s, cpu_s = time.perf_counter() - begun_s, cpu_seconds() - begun_cpu_s
    print(f"{name:30} {wall_s:8.1f} s, {cpu_s:6.1f} s of processors  {text}", flush=True)


def _time_tasks(tasks: int) -> None:
    """Print the processor time of all processes for tasks of 1 s, beyond that of empty tasks.

    Dask uses time also while its workers wait for a processor, so a busy machine adds to its share.
    """
    begun_s = time.process_time()
    compute(_ROUNDS)
    rounds = round(_ROUNDS / (time.process_time() - begun_s))

    def run(engine: TaskEngine) -> float:
        begun_s = cpu_seconds()
        engine.run_all(compute, [0] * 2, _ignore)
        started_s = cpu_seconds()
        engine.run_all(compute, [rounds] * tasks, _ignore)
        return cpu_seconds() - started_s - (started_s - begun_s)

    rows = []
    for _ in range(_TURNS):
        local_s = run(LocalProcesses(2))
        with connected("local:2") as cluster:
            cluster.run_all(compute, [0] * 2, _ignore)
            dask_s = run(cluster)
        rows.append((f"{local_s:.2f}", f"{dask_s:.2f}", f"{dask_s / local_s - 1:.1%}"))
    print(f"{tasks} tasks of 1 s, in seconds of processors")
    show(("2 processes", "2 workers of Dask", "more"), rows)


def compute(rounds: int) -> int:
    """Compute for a time that is proportional to the number of rounds."""
    return sum(sum(range(1_000)) for _ in range(rounds))


def _ignore(_number: int, _result: object) -> None:
    return


if __name__ == "__main__":
    main()
