"""Bytes that a process with another hash seed writes."""

from __future__ import annotations

import os
import subprocess
import sys
from textwrap import dedent

_FRAME = """
import sys
from tests.tailc.artifact.published import policy_of
{code}
sys.stdout.buffer.write(written)
"""


def with_hash_seed(seed, code):
    """What `code` calls `written`; it can call policy_of, with the name of a vector."""
    whole = _FRAME.format(code=dedent(code))
    done = subprocess.run(
        [sys.executable, "-c", whole],
        env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout
