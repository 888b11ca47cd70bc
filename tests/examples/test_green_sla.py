"""The campus under a solar roof has what its README says, and compiles to the plan beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tailc.artifact.files import read_policy
from tailc.forms.plan.plan_books import plan_books
from tailc.pipeline.compile import compile_policy
from tailc.traces.jobs.swf import read_swf
from tests.examples.scripts import script

FOLDER = Path(__file__).parents[2] / "examples" / "green-sla"


@pytest.fixture(scope="module")
def compiled():
    return compile_policy(str(FOLDER / "campus.yaml"))


def test_its_inputs_are_generated_by_the_script_beside_them(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["generate.py", "--output", str(tmp_path)])
    script(FOLDER / "generate.py").main()
    for name in ("jobs.swf.gz", "roof.csv"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()


def test_it_compiles_to_the_policy_beside_it(compiled):
    # The evidence of the file names versions, which may differ; what a runtime does may not.
    assert compiled.policy.same_policy(read_policy(FOLDER / "expected.tailc"))
    assert compiled.policy.same_policy(read_policy(FOLDER / "expected.json"))


def test_nothing_of_the_days_that_are_held_out_changes_the_plan(compiled, tmp_path):
    """But the digests of the files."""
    for name in ("campus.yaml", "jobs.swf.gz"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    head, *lines = (FOLDER / "roof.csv").read_text().splitlines()
    end = "2026-06-18T09"
    dark = [line if line < end else f"{line.split(',')[0]},1.000,0.50" for line in lines]
    (tmp_path / "roof.csv").write_text("\n".join([head, *dark]) + "\n")
    again = compile_policy(str(tmp_path / "campus.yaml")).policy
    assert again.plan == compiled.policy.plan


def test_its_jobs_are_as_told():
    log = read_swf(str(FOLDER / "jobs.swf.gz"))
    assert log.jobs == 2_234
    assert set(log.width.tolist()) == {1, 2, 4, 8, 16, 32, 64}
    assert np.median(log.run_s) == pytest.approx(90 * 60, rel=0.05)
    day = log.submit_s // 86_400
    by_day = np.bincount(day, minlength=28)
    is_free = np.arange(28) % 7 >= 5
    assert by_day[is_free].mean() < 0.6 * by_day[~is_free].mean()


def test_the_plan_keeps_its_promises_and_gets_near_its_bound(compiled):
    books = plan_books(compiled.policy.plan)
    assert all(job.green_slots >= job.promised_slots for job in books.jobs)
    assert dict(compiled.policy.evidence.settings)["gap_ppm"] < 1_000
