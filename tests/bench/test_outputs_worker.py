"""A worker answers with what a script does, run after run."""

import json
import subprocess
import sys

from bench.timing import ROOT

SCRIPT = """
import os, sys
print("hello", *sys.argv[1:])
os.write(2, b"from below")
if sys.argv[1] == "b":
    raise ValueError("b")
sys.exit(3)
"""


def test_each_run_has_its_own_arguments_output_and_exit_code(tmp_path):
    script = tmp_path / "script"
    script.write_text(SCRIPT)
    answered = subprocess.run(
        [sys.executable, "-P", ROOT / "bench/outputs_worker.py", script],
        input='["a", "x y"]\n["b"]\n',
        capture_output=True,
        check=True,
        text=True,
    )
    first, second = map(json.loads, answered.stdout.splitlines())
    assert first == {"exit": 3, "stdout": "hello a x y\n", "stderr": "from below"}
    assert second["exit"] == 1
    assert second["stdout"] == "hello b\n"
    assert second["stderr"].endswith("ValueError: b\n")
    assert not answered.stderr
