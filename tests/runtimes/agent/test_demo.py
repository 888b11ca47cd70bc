"""The experiment of `make demo-agent` ends at once where it cannot give a result."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.tailc.artifact.published import ROOT

DEMO = ROOT / "examples" / "autopro" / "agent.py"


def ended(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(DEMO), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_a_time_without_a_step_after_the_warm_up_is_refused() -> None:
    done = ended("--seconds", "5")
    assert done.returncode == 2
    assert "--seconds must be at least 10.0" in done.stderr


def test_an_agent_that_ends_early_is_reported() -> None:
    done = ended("--agent", "false")
    assert done.returncode == 1
    if "control group" in done.stderr or "has no limits" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert "the agent ended with exit code 1" in done.stderr
