"""A ratio under its aim is told, and ends the script where that is asked for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENDED = "from bench.timing import end, wanted; print(wanted({ratio}, 1.8)); end()"


def ended(ratio, **environment):
    call = [sys.executable, "-c", ENDED.format(ratio=ratio)]
    env = {name: value for name, value in os.environ.items() if name != "BENCH_STRICT"}
    return subprocess.run(
        call, cwd=ROOT, env=env | environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("ratio", "strict", "code", "said"),
    [
        (1.8, {"BENCH_STRICT": "1"}, 0, "1.80"),
        (1.7, {"BENCH_STRICT": "1"}, 1, "1.70, under 1.8"),
        (1.7, {"BENCH_STRICT": "0"}, 0, "1.70, under 1.8"),
        (1.7, {}, 0, "1.70, under 1.8"),
    ],
)
def test_a_ratio_under_its_aim_ends_the_script_where_benches_are_strict(ratio, strict, code, said):
    found = ended(ratio, **strict)
    assert (found.returncode, found.stdout.strip()) == (code, said)


@pytest.mark.parametrize("script", ["coverage", "coverage_diff"])
def test_scripts_of_coverage_are_run_as_modules(script):
    call = [sys.executable, "-m", f"bench.{script}", "--help"]
    assert (
        "--trials"
        in subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    )
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    listed = makefile.partition("BENCH ?=")[2].partition(".PHONY")[0].split()
    assert script in listed
