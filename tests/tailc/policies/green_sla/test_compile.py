"""From a spec and its files to an artifact, and what becomes of the one that was there."""

from __future__ import annotations

import json

import pytest
from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.linear import SolverAnswer, SolverOutcome

from tailc.artifact.envelope import InputRole
from tailc.artifact.files import read_policy
from tailc.cli import run
from tailc.errors import ExitCode
from tailc.forms.plan.plan_books import plan_books
from tests.tailc.policies.green_sla.case import write


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("kit")
    write(found)
    return found


@pytest.fixture(scope="module")
def policy(folder):
    words = ["compile", str(folder / "service.yaml"), "-o", str(folder / "kit"), "--no-progress"]
    assert run(words) == 0
    return read_policy(folder / "kit")


def test_the_artifact_says_what_it_was_made_from_and_how_good_it_is(policy):
    assert [part.role for part in policy.inputs] == [InputRole.DESIGN, InputRole.SUPPLY]
    evidence = policy.evidence
    settings = dict(evidence.settings)
    assert (evidence.objective, evidence.method) == ("profit", "smart-green")
    assert settings["spans"] == 3
    assert settings["value"] <= settings["bound"]
    assert settings["placed_jobs"] == len(policy.plan.jobs) <= settings["known_jobs"]
    gap = settings["bound"] - settings["value"]
    assert settings["gap_ppm"] * abs(settings["value"]) >= gap * 10**6
    assert settings["profit_udollars"] == plan_books(policy.plan).profit_udollars // 1


def test_every_job_runs_all_its_epochs_with_all_its_servers(policy):
    assert policy.plan.jobs
    for job in policy.plan.jobs:
        by_epoch = [
            sum(held for _, held in policy.plan.allocation(job.name, epoch) or ())
            for epoch in range(len(policy.plan.epochs))
        ]
        runs = [width for width in by_epoch if width]
        assert set(runs) == {runs[0]}
        assert by_epoch[by_epoch.index(runs[0]) :][: len(runs)] == runs


@pytest.mark.parametrize("method", ["arrival", "anneal", "mip"])
def test_a_method_of_the_command_line_is_the_one_of_the_evidence(folder, policy, method):
    words = ["compile", str(folder / "service.yaml"), "-o", str(folder / method), "--no-progress"]
    assert run([*words, "--method", method]) == 0
    other = read_policy(folder / method)
    assert other.evidence.method == method
    value, least = (dict(one.evidence.settings)["value"] for one in (other, policy))
    assert value >= least


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (SolverOutcome.CRASHED, ExitCode.MISSING_PART),
        (SolverOutcome.TIMED_OUT, ExitCode.BUDGET),
        (SolverOutcome.NOT_INSTALLED, ExitCode.MISSING_PART),
    ],
)
def test_a_solver_that_fails_leaves_the_policy_that_was_there(
    folder, policy, outcome, code, monkeypatch, capsys
):
    stem = folder / "kit"
    before = {suffix: stem.with_suffix(suffix).read_bytes() for suffix in (".json", ".tailc")}
    monkeypatch.setattr(Solver, "answer", lambda *_: SolverAnswer(outcome, message="so it is"))
    words = ["compile", str(folder / "service.yaml"), "-o", str(stem), "--no-progress"]
    assert run(words) == code
    assert "so it is" in capsys.readouterr().err
    after = {suffix: stem.with_suffix(suffix).read_bytes() for suffix in before}
    assert after == before
    assert read_policy(stem) == policy


def test_what_a_compile_tells_names_jobs_profit_and_the_bound(folder, policy, capsys):
    words = ["compile", str(folder / "service.yaml"), "-o", str(folder / "told"), "--no-progress"]
    assert run([*words, "--output-format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["result"]
    settings = dict(policy.evidence.settings)
    assert told["racks"]["placed"] == settings["placed_jobs"]
    for name in ("value", "bound", "profit_udollars"):
        assert told["racks"][name] == settings[name]
    assert run(words) == 0
    text = capsys.readouterr().out
    assert "no plan has more than $" in text
    assert "of the bound" not in text


@pytest.mark.parametrize("command", [["compile", "--no-progress"], ["check", "--with-trace"]])
def test_a_wide_job_is_refused_with_its_row(folder, tmp_path, capsys, command):
    write(tmp_path)
    log = tmp_path / "jobs.csv"
    lines = log.read_text().splitlines()
    at = next(
        number for number, line in enumerate(lines[1:], start=1) if int(line.split(",")[0]) > 86_400
    )
    submit, run_s, _ = lines[at].split(",")
    lines[at] = f"{submit},{run_s},21"
    log.write_text("\n".join(lines) + "\n")
    assert run([*command, str(tmp_path / "service.yaml")]) == ExitCode.BAD_CONTENT
    told = capsys.readouterr().err
    assert "TC0245" in told
    assert f"row {at}" in told
