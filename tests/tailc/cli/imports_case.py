"""Helpers of test_imports.py that other tests use too."""

import json
import subprocess
import sys

REPORT_IMPORTS = """
import json, sys
from tailc.cli import run
from tailc.cli.light_numba import make_numba_light
make_numba_light()
code = run(json.loads(sys.argv[1]))
assert code == 0, code
print("\\n" + json.dumps(sorted(sys.modules)))
"""


def imported(folder, *arguments):
    """Modules in a fresh process after a command line has run."""
    call = [sys.executable, "-c", REPORT_IMPORTS, json.dumps(list(arguments))]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))
