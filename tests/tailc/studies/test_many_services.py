"""A thousand services: the files do not depend on who compiles them, nor on who was killed."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tailc.errors import ExitCode
from tailc.studies.build_record import RECORD_SUFFIX
from tailc.studies.fleet import FleetOptions, ServiceStatus, compile_fleet, find_services
from tailc.tasks.processes import LocalProcesses
from tests.tailc.studies.test_fleet import contents, statuses
from tests.tailc.toy import SPEC

pytestmark = pytest.mark.fuzz

FLEET_COMPILE = """
import sys
from tailc.cli import run
if __name__ == "__main__":
    sys.exit(run(["fleet", "compile", "fleet", "-o", "out", "--jobs", "2"]))
"""


def write_fleet(folder: Path, services: int) -> None:
    """In ten folders; each eleventh spec is wrong."""
    for number in range(services):
        team = folder / f"fleet/team{number % 10}"
        team.mkdir(parents=True, exist_ok=True)
        (team / "toy.csv").write_text(f"request,demand_ms\n1,50\n2,{100 + number % 10}\n")
        cores = 6 if number % 11 else "none"
        named = SPEC.replace("name: toy", f"name: svc{number}").replace("rates: [10/s]\n", "")
        (team / f"svc{number}.yaml").write_text(named.replace("cores: 6", f"cores: {cores}"))


def compiled(processes: int, out: str) -> list[ServiceStatus]:
    engine = LocalProcesses(processes)
    return statuses(compile_fleet(find_services("fleet"), FleetOptions(out, {}), engine))


def test_a_thousand_services_have_the_same_files_on_1_2_and_7_processes(in_folder: Path) -> None:
    write_fleet(in_folder, 1_000)
    ends = [compiled(processes, f"out{processes}") for processes in (1, 2, 7)]
    assert ends[0] == ends[1] == ends[2]
    assert ends[0].count(ServiceStatus.COMPILED) == 909
    assert contents("out1") == contents("out2") == contents("out7")


def test_two_coordinators_of_one_folder_write_the_files_of_one(in_folder: Path) -> None:
    """What both compile is written twice; the bytes are the same."""
    write_fleet(in_folder, 100)
    compiled(1, "right")
    for _ in range(10):
        with ThreadPoolExecutor() as both:
            ends = list(both.map(lambda _: set(compiled(2, "out")), range(2)))
        assert all(ServiceStatus.FAILED in end for end in ends)
        assert contents("out") == contents("right")
        for path in list(Path("out").rglob(f"*{RECORD_SUFFIX}"))[::2]:
            path.unlink()


def test_a_fleet_goes_on_after_its_coordinator_was_killed_at_ten_random_times(
    in_folder: Path,
) -> None:
    write_fleet(in_folder, 300)
    compiled(1, "right")
    rng = random.Random(1)
    times: dict[Path, int] = {}
    for _ in range(10):
        begun = subprocess.Popen(
            [sys.executable, "-c", FLEET_COMPILE],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        wanted = rng.randint(1, 30)
        first = len(list(Path().glob(f"out/**/*{RECORD_SUFFIX}")))
        while len(records := list(Path().glob(f"out/**/*{RECORD_SUFFIX}"))) < first + wanted:
            assert begun.poll() in (None, ExitCode.BAD_CONTENT), begun.returncode
            if begun.poll() is not None:
                break
            time.sleep(0.001)
        begun.send_signal(signal.SIGKILL)
        begun.wait()
        times = {path: path.stat().st_mtime_ns for path in records}
    ended = compiled(1, "out")
    assert ended.count(ServiceStatus.UNCHANGED) >= 0.9 * len(times)
    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert contents("out") == contents("right")
