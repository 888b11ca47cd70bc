"""The same spec and trace give the same bytes, however and wherever the compile runs."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.tailc.toy import with_lines, write_toy

# One process for all specs: most of the time of one goes into its start.
COMPILE = """
import sys
from tailc.cli import run
from tailc.cli.light_numba import make_numba_light
make_numba_light()
threads, *specs = sys.argv[1:]
for number, spec in enumerate(specs):
    assert run(["compile", spec, "-o", str(number), "--threads", threads]) == 0, spec
"""
CASES = ("grid", "dual", "own curves")


def compiled(specs, folder, threads="2", hash_seed="0", **environment):
    """The bytes of each case."""
    env = os.environ | {"PYTHONHASHSEED": hash_seed} | environment
    call = [sys.executable, "-c", COMPILE, threads, *specs]
    subprocess.run(call, cwd=folder, env=env, check=True, capture_output=True)
    return {
        case: [(folder / f"{number}{suffix}").read_bytes() for suffix in (".json", ".tailc")]
        for number, case in enumerate(CASES)
    }


def spec_of(case, folder):
    """A spec of 500 requests, written there."""
    drawn = np.random.default_rng(7)
    demand = drawn.gamma(1.6, 60.0, 500).round(3) + 1
    third = drawn.uniform(1.6, 2.4, 500).round(3)
    rows = [f"{i},{d},1,1.5,{s}" for i, (d, s) in enumerate(zip(demand, third, strict=True))]
    trace = "request,demand_ms,s1,s2,s3\n" + "\n".join(rows) + "\n"
    changes = [("search: {method: grid, step: 50ms}", "search: {method: grid, step: 10ms}")]
    if case == "dual":
        changes = [("search: {method: grid, step: 50ms}", "search: {method: dual}")]
    if case == "own curves":
        changes.append(("speedup: [1, 1.5, 2]", "speedup: {columns: [s1, s2, s3]}"))
    folder.mkdir()
    return write_toy(folder, with_lines(*changes), trace)


@pytest.fixture(scope="module")
def specs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("specs")
    return [spec_of(case, folder / case) for case in CASES]


@pytest.fixture(scope="module")
def reference(specs, tmp_path_factory):
    return compiled(specs, tmp_path_factory.mktemp("reference"))


@pytest.fixture(scope="module")
def again(specs, tmp_path_factory):
    zone = {"LC_ALL": "C.UTF-8", "TZ": "Asia/Kolkata", "NUMBA_NUM_THREADS": "1"}
    folder = tmp_path_factory.mktemp("again")
    return compiled(specs, folder, threads="1", hash_seed="12345", **zone)


@pytest.mark.parametrize("case", CASES)
def test_threads_hash_seed_locale_time_zone_and_folder_do_not_show(case, reference, again):
    """All of them are others at once: whatever showed would show."""
    assert again[case] == reference[case]


def test_the_cases_are_three(reference):
    assert len({json for json, _ in reference.values()}) == 3
