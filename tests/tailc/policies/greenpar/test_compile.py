"""From a spec to an artifact and back: what jobs do under it, and what stays where none is made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tailc_solvers.backends.linear import SolverAnswer, SolverOutcome

from tailc.artifact.envelope import InputRole
from tailc.artifact.files import read_policy
from tailc.cli import run
from tailc.errors import ExitCode
from tailc.models.malleable_jobs.allocator import Allocation, ClusterView
from tailc.models.malleable_jobs.cluster import cluster_of
from tailc.models.malleable_jobs.engine import replay_malleable
from tailc.models.malleable_jobs.jobs import malleable_jobs_of
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.malleable_jobs import solve as solved
from tailc.studies.held_out_days import read_held_out_days
from tests.tailc.policies.greenpar.case import SPEC, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("greenpar")
    write(folder)
    assert run(["compile", str(folder / "service.yaml"), "-o", str(folder / "kit")]) == 0
    return folder


def test_what_it_was_made_from_is_recorded(folder):
    policy = read_policy(folder / "kit")
    roles = {part.role: part for part in policy.inputs}
    assert set(roles) == {InputRole.DESIGN, InputRole.SUPPLY}
    settings = dict(policy.evidence.settings)
    assert settings["bound"] <= settings["value"]
    assert settings["gap_ppm"] <= settings["aim_ppm"]
    assert settings["spans"] == 2
    assert policy.evidence.proof == "dual-bound"


class _AsPlanned:
    """Gives jobs what the plan says, and machines as they were planned."""

    def __init__(self, plan, placed):
        self._plan = plan
        self._vms = {int(job.name[4:]): vms for job, vms in zip(plan.jobs, placed, strict=True)}

    def allocate(self, view: ClusterView) -> Allocation:
        epoch = min(view.now_s // view.cluster.epoch_s, len(self._plan.epochs) - 1)
        held = {
            one.job.number: self._plan.allocation(f"job-{one.job.number}", epoch) or ()
            for one in view.active
        }
        servers = {number: places[0][1] for number, places in held.items() if places}
        return Allocation(servers, {number: self._vms[number] for number in servers})


def test_in_a_replay_of_the_plan_no_job_is_late(folder):
    """The judge's replay, which follows each second, on the jobs and speed-ups of the spec."""
    compiled = compile_policy(str(folder / "service.yaml"))
    plan = compiled.policy.plan
    assert plan is not None
    held_out = read_held_out_days(compiled.policy, str(folder / "design.yaml"), most=1)
    (window,) = held_out.windows
    assert window.start_unix_s == plan.start_unix_s
    solution = compiled.sweep.chosen.solution
    assert isinstance(solution, solved.ClusterSolution)
    vms = [one.vms for one in solution.placed]
    assert plan.malleable is not None
    cluster = cluster_of(plan)
    jobs = malleable_jobs_of(window, held_out.curves, plan.malleable.slowdown_ppm, cluster.servers)
    known = {job.name for job in plan.jobs}
    jobs = tuple(job for job in jobs if f"job-{job.number}" in known)
    found = replay_malleable(cluster, window.supply, window.expected, jobs, _AsPlanned(plan, vms))
    assert len(found.done) == len(jobs) - sum(one.is_cut for one in solution.placed)
    assert not any(done.is_late for done in found.done)
    ran_s = [one.run_s for one in solution.placed if not one.is_cut]
    assert [done.ran_s for done in found.done] == ran_s


class _Gone:
    """A solver whose process is gone."""

    def __init__(self, backend):
        self.backend = solved.Backend(backend)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def answer(self, program, limits=None):  # noqa: ARG002
        return SolverAnswer(SolverOutcome.CRASHED, message="the solver ended with signal 11")


def test_a_solver_that_crashes_leaves_the_plan_before_in_force(folder, monkeypatch, capsys):
    before = {suffix: (folder / f"kit{suffix}").read_bytes() for suffix in (".json", ".tailc")}
    monkeypatch.setattr(solved, "Solver", _Gone)
    words = ["compile", str(folder / "service.yaml"), "-o", str(folder / "kit")]
    assert run(words) == ExitCode.MISSING_PART
    told = capsys.readouterr().err
    assert "TC0704" in told
    assert "signal 11" in told
    for suffix, held in before.items():
        assert (folder / f"kit{suffix}").read_bytes() == held


def test_a_compile_tells_how_jobs_fare(folder, tmp_path, capsys):
    words = ["compile", str(folder / "service.yaml"), "-o", str(tmp_path / "told")]
    assert run([*words, "--output-format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["result"]["cluster"]
    assert told["jobs"] == 6
    assert told["run_s"] < told["requested_s"]
    assert told["green_mj"] + told["brown_mj"] == told["demand_mj"]
    assert told["bound"] <= told["value"]


def test_a_wide_job_is_refused_at_its_row(folder, tmp_path, capsys):
    write(tmp_path)
    narrow = SPEC.replace("servers: 10, busy", "servers: 3, counts: [1, 2], busy")
    (tmp_path / "service.yaml").write_text(narrow)
    words = ["compile", str(tmp_path / "service.yaml"), "-o", str(tmp_path / "none")]
    assert run(words) == ExitCode.BAD_CONTENT
    told = capsys.readouterr().err
    assert "TC0245" in told
    assert "jobs.csv, row" in told
    assert not (tmp_path / "none.json").exists()
    assert run(["check", "--with-trace", str(tmp_path / "service.yaml")]) == ExitCode.BAD_CONTENT
    assert "TC0245" in capsys.readouterr().err
