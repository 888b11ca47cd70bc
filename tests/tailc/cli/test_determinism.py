"""The same spec and trace give the same bytes, however and wherever the compile runs."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.tailc.toy import with_lines, write_toy

COMPILE = "import sys; from tailc.cli import run; sys.exit(run(sys.argv[1:]))"


def compiled(spec, folder, stem, threads="2", hash_seed="0", **environment):
    call = [sys.executable, "-c", COMPILE, "compile", spec, "-o", stem, "--threads", threads]
    env = os.environ | {"PYTHONHASHSEED": hash_seed} | environment
    subprocess.run(call, cwd=folder, env=env, check=True, capture_output=True)
    written = folder / stem
    return written.with_suffix(".json").read_bytes(), written.with_suffix(".tailc").read_bytes()


@pytest.fixture(scope="module", params=["grid", "dual", "own curves"])
def case(request, tmp_path_factory):
    """A spec of 500 requests, the bytes it compiles to, and its folder."""
    folder = tmp_path_factory.mktemp("determinism")
    drawn = np.random.default_rng(7)
    demand = drawn.gamma(1.6, 60.0, 500).round(3) + 1
    third = drawn.uniform(1.6, 2.4, 500).round(3)
    rows = [f"{i},{d},1,1.5,{s}" for i, (d, s) in enumerate(zip(demand, third, strict=True))]
    trace = "request,demand_ms,s1,s2,s3\n" + "\n".join(rows) + "\n"
    changes = [("search: {step: 50ms}", "search: {step: 10ms}")]
    if request.param == "dual":
        changes = [("search: {step: 50ms}", "search: {method: dual}")]
    if request.param == "own curves":
        changes.append(("speedup: [1, 1.5, 2]", "speedup: {columns: [s1, s2, s3]}"))
    spec = write_toy(folder, with_lines(*changes), trace)
    return spec, folder, compiled(spec, folder, "reference")


def test_threads_hash_seed_locale_time_zone_and_folder_do_not_show(case, tmp_path):
    """All of them are others at once: whatever showed would show."""
    spec, _, reference = case
    zone = {"LC_ALL": "C.UTF-8", "TZ": "Asia/Kolkata", "NUMBA_NUM_THREADS": "1"}
    again = compiled(spec, tmp_path, "again", threads="1", hash_seed="12345", **zone)
    assert again == reference
