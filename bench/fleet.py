"""Time compiles of a fleet in processes and on a Dask cluster.

    python -m bench.fleet [--services 60] [--tasks 20]

The fleet has the specs of the examples in turn, each with a name of its own, and is compiled with
effort quick: in one process, in two, and on two new workers; then again without a change and with a
change of every twentieth service, in two processes. All policies must have the same bytes. Below,
tasks of one second of computing each, in two processes and on two workers.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from bench.timing import ROOT, end, seconds
from tailc.studies.fleet import FleetOptions, ServiceResult, compile_fleet, find_services
from tailc.tasks.cluster import connected
from tailc.tasks.engine import TaskEngine
from tailc.tasks.processes import LocalProcesses

EXAMPLES = ("autopro", "bing-fm", "elfen", "finance", "greenpar", "rubik", "search")
_NAME = "name: "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--services", type=int, default=60)
    parser.add_argument("--tasks", type=int, default=20)
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
        for name in ("1 process", "2 processes", "2 workers of Dask")
    }
    one, two, dask = outputs.values()
    _print("1 process", lambda: _compiled(fleet, one, LocalProcesses(1)))
    _print("2 processes", lambda: _compiled(fleet, two, LocalProcesses(2)))
    with connected("local:2") as cluster:
        _print("2 workers of Dask", lambda: _compiled(fleet, dask, cluster))
    assert _contents(one) == _contents(two) == _contents(dask)
    print("the files of all three are the same")
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
    begin = time.perf_counter()
    counts = Counter(one.status.value for one in run())
    text = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    print(f"{name:30} {time.perf_counter() - begin:8.1f} s  {text}", flush=True)


def _time_tasks(tasks: int) -> None:
    def run(engine: TaskEngine) -> float:
        engine.run_all(compute, [0.01] * 2, _ignore)  # starts the workers
        return seconds(lambda: engine.run_all(compute, [1.0] * tasks, _ignore))

    local = run(LocalProcesses(2))
    with connected("local:2") as cluster:
        dask = run(cluster)
    print(f"{tasks} tasks of 1 s: {local:.2f} s in 2 processes, {dask:.2f} s on 2 workers of Dask")


def compute(duration_s: float) -> float:
    """Use the processor for a time in s of this process."""
    begin = time.process_time()
    while time.process_time() - begin < duration_s:
        sum(range(1_000))
    return duration_s


def _ignore(_number: int, _result: object) -> None:
    return


if __name__ == "__main__":
    main()
