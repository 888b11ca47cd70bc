"""The benchmarks of look-ups run to their end in every language."""

import subprocess
import sys

import pytest

from tests.importing import ROOT

LANGUAGES = ["python", "cpp", "go", "java", "rust"]


@pytest.mark.fuzz
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_benchmark_of_lookups_runs_to_its_end(language):
    command = [sys.executable, "-m", f"bench.{language}_lookup"]
    ended = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "look-up" in ended.stdout
    assert "lucene" in ended.stdout
