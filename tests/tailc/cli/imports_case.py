"""Helpers of test_imports.py that other tests use too."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.cli import run
from tests.tailc.toy import write_toy

REPORT_IMPORTS = """
import json, sys
from tailc.cli import run
from tailc.cli.light_numba import import_numba_without_blas
import_numba_without_blas()
code = run(json.loads(sys.argv[1]))
assert code == 0, code
print("\\n" + json.dumps(sorted(sys.modules)))
"""


def imported(folder, *arguments):
    """Modules in a fresh process after a command line has run."""
    call = [sys.executable, "-c", REPORT_IMPORTS, json.dumps(list(arguments))]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("imports")
    assert run(["compile", write_toy(folder), "-o", str(folder / "toy")]) == 0
    policy = read_policy(str(folder / "toy.tailc"))
    replayed = replace(policy, evidence=replace(policy.evidence, method="auto", proof="replayed"))
    write_policy(replayed, str(folder / "replayed"))
    return folder
