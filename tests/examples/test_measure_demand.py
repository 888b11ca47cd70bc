"""The recipes that measure demand: what a request works counts, and what it sleeps does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.examples.scripts import script

RECIPES = Path(__file__).parents[2] / "examples" / "measure-demand"
WORK_MS, SLEEP_MS = 20, 200
CPP = """
#include <ctime>
#include <thread>
#include "measure_demand.hpp"
int main() {
  DemandFile file("demands.csv");
  for (int request = 0; request < 2; ++request) {
    MeasuredDemand measured(file);
    const auto end = std::clock() + WORK_MS * (CLOCKS_PER_SEC / 1000);
    while (std::clock() < end) {}
    std::this_thread::sleep_for(std::chrono::milliseconds(SLEEP_MS));
  }
}
"""
GO = """
package main

import "time"

func main() {
	file, err := OpenDemands("demands.csv")
	if err != nil {
		panic(err)
	}
	for request := 0; request < 2; request++ {
		func() {
			defer func() { recover() }()
			file.Measure(func() {
				for end := threadUs() + WORK_MS*1000; threadUs() < end; {
				}
				time.Sleep(SLEEP_MS * time.Millisecond)
				panic("as handlers may, and are counted all the same")
			})
		}()
	}
}
"""
JAVA = """
import java.lang.management.ManagementFactory;
import java.nio.file.Path;

class Main {
  public static void main(String[] arguments) throws Exception {
    var threads = ManagementFactory.getThreadMXBean();
    var demands = new MeasuredDemand(Path.of("demands.csv"));
    for (int request = 0; request < 2; request++) {
      demands.measure(() -> {
        long endNs = threads.getCurrentThreadCpuTime() + WORK_MS * 1_000_000L;
        while (threads.getCurrentThreadCpuTime() < endNs) {}
        Thread.sleep(SLEEP_MS);
      });
    }
  }
}
"""


def needed(*tools: str) -> None:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing and not os.environ.get("CI"):
        pytest.skip(f"{', '.join(missing)} is not installed")
    assert not missing


def program(folder: Path, name: str, text: str, recipe: str) -> None:
    shutil.copy(RECIPES / recipe, folder)
    text = text.replace("WORK_MS", str(WORK_MS)).replace("SLEEP_MS", str(SLEEP_MS))
    (folder / name).write_text(text)


def ran(folder: Path, *command: str) -> None:
    env = {**os.environ, "GO111MODULE": "off", "GOFLAGS": "", "GOMAXPROCS": "2"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def worked(path: Path) -> bool:
    """Whether two requests have the time that they worked, without that in which they slept."""
    header, *rows = path.read_text().splitlines()
    in_range = [0.9 * WORK_MS < int(row) / 1000 < WORK_MS + SLEEP_MS / 2 for row in rows]
    return header == "demand_us" and in_range == [True, True]


def test_cpp_measures_work_and_not_sleep(tmp_path):
    needed("g++")
    program(tmp_path, "main.cpp", CPP, "measure_demand.hpp")
    ran(tmp_path, "g++", "-std=c++17", "-Wall", "-Werror", "main.cpp", "-o", "main", "-pthread")
    ran(tmp_path, "./main")
    assert worked(tmp_path / "demands.csv")


def test_go_measures_work_and_not_sleep(tmp_path):
    needed("go")
    program(tmp_path, "main.go", GO, "measure_demand.go")
    ran(tmp_path, "go", "run", "main.go", "measure_demand.go")
    assert worked(tmp_path / "demands.csv")


def test_java_measures_work_and_not_sleep(tmp_path):
    needed("javac", "java")
    program(tmp_path, "Main.java", JAVA, "MeasuredDemand.java")
    ran(tmp_path, "javac", "-Xlint:all", "-Werror", "Main.java", "MeasuredDemand.java")
    ran(tmp_path, "java", "-XX:TieredStopAtLevel=1", "Main")
    assert worked(tmp_path / "demands.csv")


def test_python_measures_work_and_not_sleep_and_goes_on_with_its_file(tmp_path):
    closed = []

    def application(_environ, start_response):
        start_response("200 OK", [])
        try:
            yield b"a"
            end_ns = time.process_time_ns() + WORK_MS * 10**6
            while time.process_time_ns() < end_ns:
                pass
            time.sleep(SLEEP_MS / 1000)
            yield b"b"
        finally:
            closed.append(True)

    for _ in range(2):
        recipe = script(RECIPES / "measure_demand.py")
        served = recipe.MeasuredDemand(application, tmp_path / "demands.csv")
        assert list(served({}, lambda *_: None)) == [b"a", b"b"]
        served.file.close()
    assert worked(tmp_path / "demands.csv")
    assert closed == [True, True]


def test_python_measures_requests_that_fail_and_those_that_are_left(tmp_path):
    def application(environ, _start_response):
        if environ:
            raise OSError
        yield b"a"
        yield b"b"

    served = script(RECIPES / "measure_demand.py").MeasuredDemand(application, tmp_path / "d.csv")
    with pytest.raises(OSError):  # noqa: PT011 - it has no message
        list(served({"fails": True}, lambda *_: None))
    left = served({}, lambda *_: None)
    assert next(left) == b"a"
    left.close()
    served.file.close()
    assert len((tmp_path / "d.csv").read_text().splitlines()) == 3
