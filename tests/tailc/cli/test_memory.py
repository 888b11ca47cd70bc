"""What commands take of memory for a small file with many rows, measured in a child."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = 6_000_000
# More than for a small file. The demands alone are 46 MiB, and ten times that as rows of a profile.
# Measured: 127 and 150 MiB, and 270 MiB in all for 50 million rows.
MOST_MIB = 256
CHILD = """
import contextlib, io, json, re, sys
from tailc.cli import run

def peak_mib():
    with open("/proc/self/status") as status:
        return int(re.search("VmHWM:\\\\s*([0-9]+)", status.read())[1]) >> 10

def told(words):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return run(words.split())

told("check --with-trace small.yaml")
before = peak_mib()
for words in sys.argv[1:]:
    print(json.dumps([words, told(words), peak_mib() - before]), flush=True)
"""
SPEC = """
apiVersion: tailc/v1
kind: few-to-many
name: web
slo: [{percentile: 99%, latency: 500ms}]
demand: {trace: TRACE, column: demand_ms, unit: ms, measure: demand-busy, reference: a core}
speedup: [1, 1.8]
server: {cores: 4, target_parallelism: 6}
rates: [5/s]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("expanding")
    demand = np.random.default_rng(1).integers(1, 2_000, 10_000) / 8
    for name, rows in (("small", demand), ("large", np.repeat(demand, ROWS // len(demand)))):
        pq.write_table(pa.table({"demand_ms": rows}), made / f"{name}.parquet", compression="zstd")
        (made / f"{name}.yaml").write_text(SPEC.replace("TRACE", f"{name}.parquet"))
    return made


def test_rows_of_a_small_file_are_read_in_little_memory(folder):
    assert (folder / "large.parquet").stat().st_size < 1 << 20
    commands = ["check --with-trace large.yaml", "lint-trace large.parquet"]
    child = [sys.executable, "-c", CHILD, *commands]
    ended = subprocess.run(child, cwd=folder, capture_output=True, text=True, check=True)
    for line in ended.stdout.splitlines():
        words, code, more_mib = json.loads(line)
        assert (code, more_mib < MOST_MIB) == (0, True), f"{words}: {code}, {more_mib} MiB"
    assert ended.stdout.count("\n") == len(commands)
