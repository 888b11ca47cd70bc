"""How the JavaScript runtime is started; nothing of it is built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from tests.runtimes.conformance import Reader
from tests.tailc.artifact.published import ROOT

RUNTIME = ROOT / "runtimes" / "js"
# That of package.json.
LEAST_VERSION = 20


def need_node() -> None:
    """Skip without a Node.js that is new enough, except in CI."""
    found = "none"
    if shutil.which("node"):
        found = subprocess.run(
            ["node", "--version"], check=True, capture_output=True, text=True
        ).stdout
    version = re.match(r"v(\d+)", found)
    if version is None or int(version[1]) < LEAST_VERSION:
        refuse = pytest.fail if "CI" in os.environ else pytest.skip
        refuse(f"node is {found.strip()}")


def reader() -> Reader:
    """The runtime, as its conformance program."""
    need_node()
    program = str(RUNTIME / "tests" / "conformance.js")
    return Reader(lambda name: ["node", program, name])
