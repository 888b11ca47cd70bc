"""A baseline is one file in the folder of its model, and nothing else."""

import importlib
import json
import subprocess
import sys

import pytest

from tailc.models.named_baselines import folder_in
from tests.tailc.cli.verify_case import judged

PACKAGE = "tailc.models.shared_cores.baselines"
WIDEST = '''
"""Every request on the last rung from its start, as a user might add it."""

from typing import final

from tailc.models.baseline_syntax import Syntax
from tailc.models.request_baselines import Baseline
from tailc.models.shared_cores.baselines.fixed_degree import fixed_rung
from tailc.models.shared_cores.model import SharedCores


@final
class Widest(Baseline[SharedCores]):
    syntax = Syntax("widest")
    about = "every request on the last rung"
    rank = 25

    def examples(self, policy):
        return ("widest",)

    def check_fit(self, policy, values):
        return None

    def default_names(self, policy, workload):
        return ("widest",)

    def make(self, setup):
        ladder = setup.policy.ladder
        return SharedCores("widest", (fixed_rung(ladder, len(ladder.rungs) - 1),))
'''


@pytest.fixture
def widest(tmp_path, monkeypatch):
    """The baseline `widest`, in a folder beside that of the package."""
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "widest.py").write_text(WIDEST)
    package = importlib.import_module(PACKAGE)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / "more")])
    folder_in.cache_clear()
    yield
    sys.modules.pop(f"{PACKAGE}.widest", None)
    folder_in.cache_clear()


@pytest.mark.usefixtures("widest")
def test_it_is_replayed_by_its_name(judged_toy, tailc):
    ended = judged(tailc, "--baselines", "widest,fix-3", "--output-format", "json")
    (point,) = json.loads(ended.out)["result"]["points"]
    ours, fixed = point["baselines"]
    assert (ours.pop("subject"), fixed.pop("subject")) == ("widest", "FIX-3")
    assert ours == fixed


@pytest.mark.usefixtures("widest")
def test_it_is_among_the_defaults_by_its_rank_and_among_the_names_there_are(judged_toy, tailc):
    words = ("--baselines", "all", "--output-format", "json")
    (point,) = json.loads(judged(tailc, *words).out)["result"]["points"]
    subjects = [run["subject"] for run in point["baselines"]]
    assert subjects.index("widest") == subjects.index("every 5 ms") - 1
    refused = judged(tailc, "--baselines", "widets")
    assert "did you mean `widest`?" in refused.err


def test_no_baseline_is_imported_where_none_is_wanted():
    asked = "import sys, tailc.models.subjects\n"
    asked += f"print([name for name in sys.modules if name.startswith({PACKAGE!r})])"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
