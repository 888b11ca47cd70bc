"""Plans as tables and commands, of a plan whose servers can be told by hand."""

from __future__ import annotations

import csv
import io
import json
import shlex
from dataclasses import replace

import pytest

from tailc.cli import run
from tailc.errors import TailcError
from tailc.export.kubernetes import kubernetes_text
from tailc.export.servers import servers_text
from tailc.export.slurm import slurm_text
from tailc.export.step import ExportedPlan, NodeNames
from tailc.forms.plan.servers import assigned_servers
from tailc.forms.plan.state import CarriedOutPlan, Events
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tests.tailc.pipeline.rigid_jobs.problems import drawn, named, problem


def plan_of_two():
    """Job 1 moves to the green rack for its second hour; job 2 runs in the third hour."""
    asked = problem(
        named(1, 0, 2, 2, 50), named(2, 2, 1, 1), green_w=[0, 200, 0], epsilon_udollars=150
    )
    return solve_for_racks(asked).plan


def commands(text):
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_the_table_has_each_job_and_the_sleeping_servers_by_time():
    rows = list(csv.DictReader(servers_text(ExportedPlan(plan_of_two())).splitlines()))
    found = [(row["from"][-6:], row["what"], row["job"], row["servers"]) for row in rows]
    assert found == [
        (found[0][0], "runs", "job-1", "0-1"),
        (found[0][0], "sleeps", "", "2-3"),
        (found[2][0], "runs", "job-1", "2-3"),
        (found[2][0], "sleeps", "", "0-1"),
        (found[4][0], "runs", "job-2", "0"),
        (found[4][0], "sleeps", "", "1-3"),
    ]


@pytest.mark.parametrize("seed", range(6))
def test_the_table_has_every_server_once_in_each_epoch(seed):
    plan = solve_for_racks(drawn(400 + seed, jobs=4, epochs=4)).plan
    schedule = assigned_servers(plan)
    exported = ExportedPlan(plan)
    for epoch in range(4):
        step = exported.step(epoch)
        servers = [server for job in step.jobs for server in job.servers]
        assert sorted([*servers, *step.asleep]) == list(range(plan.servers))
        assert {job.name: job.servers for job in step.jobs} == schedule.by_epoch[epoch]


def test_slurm_starts_holds_and_powers_down():
    exported = ExportedPlan(plan_of_two(), nodes=NodeNames("n%d", 1))
    assert commands(slurm_text(exported, 0)) == [
        "scontrol update NodeName=n1,n2 State=POWER_UP",
        "scontrol update JobId=1 ReqNodeList=n1,n2 NumNodes=2-2",
        "scontrol release 1",
        "scontrol hold 2",
        "scontrol update NodeName=n3,n4 State=POWER_DOWN",
    ]
    # Slurm cannot move a running job, so a person decides.
    assert "# scontrol requeuehold 1" in slurm_text(exported, 1)
    assert not any("requeue" in line for line in commands(slurm_text(exported, 1)))


def test_slurm_shrinks_a_job_and_holds_refused_ones():
    plan = plan_of_two()
    state = CarriedOutPlan(plan).state_after(0, Events(refused=["job-2"]))
    assert "scontrol hold 2" in slurm_text(ExportedPlan(plan, state), 1)


def test_kubernetes_resumes_suspends_and_cordons():
    lines = commands(kubernetes_text(ExportedPlan(plan_of_two()), 0))
    assert lines[:2] == ["kubectl uncordon node0 node1", "kubectl cordon node2 node3"]
    patches = [json.loads(shlex.split(line)[-1]) for line in lines[2:]]
    assert patches == [{"spec": {"suspend": False, "parallelism": 2}}, {"spec": {"suspend": True}}]


@pytest.mark.parametrize(
    "name", ["job-1\nreboot", "job-$(reboot)", "job-1;reboot", "--all", "job-"]
)
@pytest.mark.parametrize("text", [slurm_text, kubernetes_text])
def test_a_name_that_could_be_a_command_or_an_option_is_refused(name, text):
    plan = plan_of_two()
    for job in (0, 1):
        jobs = list(plan.jobs)
        jobs[job] = replace(jobs[job], name=name)
        for epoch in (0, 1):
            if (job, epoch, text) == (0, 1, kubernetes_text):
                continue  # it has no command for a job that moves
            with pytest.raises(TailcError, match="cannot be a job of"):
                text(ExportedPlan(replace(plan, jobs=tuple(jobs))), epoch)
    state = replace(CarriedOutPlan(plan).state_after(0), refused=(name,))
    with pytest.raises(TailcError, match="cannot be a job of"):
        text(ExportedPlan(plan, state), 0)


def test_a_table_has_any_name_in_one_cell():
    plan = plan_of_two()
    name = 'a,"b"\nc'
    renamed = replace(plan, jobs=(replace(plan.jobs[0], name=name), plan.jobs[1]))
    rows = csv.DictReader(io.StringIO(servers_text(ExportedPlan(renamed)), newline=""))
    assert {row["job"] for row in rows} == {name, "", "job-2"}


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("node", "one `%d`"),
        ("n%d\nreboot", "letters, digits"),
        ("-%d", "letters"),
        ("n%d;a", "only"),
    ],
)
def test_names_of_nodes_are_names_with_the_number(pattern, says):
    with pytest.raises(ValueError, match=says):
        NodeNames(pattern)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["servers"], 0),
        (["slurm", "--nodes", "a%d"], 0),
        (["kubernetes", "--at", "2026-06-16T17:00Z"], 0),
        (["slurm", "--at", "2020-06-16T17:00Z"], 64),
        (["servers", "--at", "2026-06-16T17:00Z"], 64),
        (["slurm", "--nodes", "a"], 64),
    ],
)
def test_the_command_prints_or_writes(tmp_path, capsys, words, code):
    target, *options = words
    assert run(["export", target, "examples/green-sla/expected", *options]) == code
    if code == 0:
        printed = capsys.readouterr().out
        file = tmp_path / "out"
        assert (
            run(["export", target, "examples/green-sla/expected", *options, "-o", str(file)]) == 0
        )
        assert file.read_text() == printed
