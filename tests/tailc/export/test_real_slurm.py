"""Exported commands, run by a real Slurm of four virtual nodes on this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tailc.export.slurm import slurm_text
from tailc.export.step import ExportedPlan, NodeNames
from tailc.forms.plan.state import CarriedOutPlan, Events
from tailc.pipeline.malleable_jobs.solve import solve_for_clusters
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tests.tailc.pipeline.malleable_jobs.instances import cluster, job
from tests.tailc.pipeline.rigid_jobs.problems import named, problem

PROGRAMS = ("munged", "mungekey", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue")
MISSING = [one for one in PROGRAMS if shutil.which(one, path=f"{os.defpath}:/usr/sbin") is None]
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"Slurm is not installed: {', '.join(MISSING)}"),
    pytest.mark.skipif(os.geteuid() != 0, reason="daemons of Slurm need root"),
]
NODES = NodeNames("n%d", 1)
WAIT_S = 20
CONF = """\
ClusterName=small
SlurmctldHost=localhost
SlurmUser=root
SlurmctldPort={port}
SlurmdPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=1
MpiDefault=none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
NodeName=n[1-4] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """A running Slurm; its folder has a short path, because sockets need one."""

    def __init__(self, folder: Path) -> None:
        self.environment = {
            **os.environ,
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": f"{os.environ['PATH']}:/usr/sbin",
        }
        self.folder = folder

    def run(self, *words: str) -> str:
        done = subprocess.run(
            words,
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        with (self.folder / "daemons.log").open("ab") as log:
            return subprocess.Popen(
                words, env=self.environment, cwd=self.folder, stdout=log, stderr=log
            )

    def submit_held(self, nodes: int) -> int:
        """A job that waits for the plan, as `sbatch --hold` submits it."""
        script = "--wrap=exec sleep 300"
        words = ("sbatch", "--parsable", "--hold", f"--nodes={nodes}", "--output=/dev/null", script)
        return int(self.run(*words))

    def job(self, number: int) -> dict[str, str]:
        """State, nodes and reason of a job."""
        rows = json.loads(self.run("squeue", "--json"))["jobs"]
        (row,) = [one for one in rows if one["job_id"] == number]
        return {"state": row["job_state"], "nodes": row["nodes"], "priority": str(row["priority"])}

    def when(self, number: int, state: str) -> dict[str, str]:
        """The job once it has the state."""
        end = time.monotonic() + WAIT_S
        while (found := self.job(number))["state"] != state and time.monotonic() < end:
            time.sleep(0.1)
        assert found["state"] == state, (self.folder / "slurmctld.log").read_text()[-2_000:]
        return found

    def carry_out(self, text: str) -> None:
        """Run a script; commands that power nodes need a cluster with power saving."""
        lines = [line for line in text.splitlines() if "State=POWER" not in line]
        (self.folder / "commands.sh").write_text("set -e\n" + "\n".join(lines) + "\n")
        self.run("sh", "commands.sh")


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    folder = Path(tempfile.mkdtemp(prefix="slurm"))
    folder.chmod(0o755)
    for name in ("munge", "state", "spool", *(f"spool/n{node}" for node in range(1, 5))):
        (folder / name).mkdir()
    (folder / "munge").chmod(0o711)
    # A port of its own for each process, so that two runs at once do not meet.
    port = 20_000 + os.getpid() % 4_000 * 10
    text = CONF.format(folder=folder, port=port, first=port + 1, last=port + 4)
    (folder / "slurm.conf").write_text(text)
    here = Slurm(folder)
    daemons = []
    try:
        here.run("mungekey", "--create", f"--keyfile={folder}/munge/key")
        files = {"socket": "socket", "key-file": "key", "pid-file": "pid", "log-file": "log"}
        options = [f"--{name}={folder}/munge/{file}" for name, file in files.items()]
        options.append(f"--seed-file={folder}/munge/seed")
        daemons.append(here.start("munged", "--foreground", "--force", *options))
        daemons.append(here.start("slurmctld", "-D", "-f", f"{folder}/slurm.conf"))
        daemons += [
            here.start("slurmd", "-D", "-f", f"{folder}/slurm.conf", "-N", f"n{node}")
            for node in range(1, 5)
        ]
        _await_nodes(here)
        yield here
        # A daemon of a node waits for the jobs that it still ends.
        _await_nodes(here)
    finally:
        for one in reversed(daemons):
            _end(one)
        shutil.rmtree(folder, ignore_errors=True)


def _end(daemon: subprocess.Popen[bytes]) -> None:
    daemon.terminate()
    try:
        daemon.wait(5)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def _await_nodes(here: Slurm) -> None:
    end = time.monotonic() + WAIT_S
    found = ""
    while found.split() != ["idle"] * 4 and time.monotonic() < end:
        time.sleep(0.2)
        done = subprocess.run(
            ["sinfo", "-N", "-h", "-o", "%T"],
            env=here.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        found = done.stdout
    assert found.split() == ["idle"] * 4, (here.folder / "daemons.log").read_text()[-2_000:]


def test_jobs_start_on_the_nodes_of_the_plan_and_others_wait(slurm):
    """The first runs on the two nodes of the second rack; the second waits for the third hour."""
    first, second = slurm.submit_held(2), slurm.submit_held(1)
    jobs = (named(first, 0, 2, 2, 100), named(second, 2, 1, 1))
    plan = solve_for_racks(problem(*jobs, green_w=[200, 200, 0])).plan
    slurm.carry_out(slurm_text(ExportedPlan(plan, nodes=NODES), 0))
    assert slurm.when(first, "RUNNING")["nodes"] == "n[3-4]"
    assert slurm.job(second)["state"] == "PENDING"
    assert slurm.job(second)["priority"] == "0"
    slurm.run("scancel", str(first))
    slurm.carry_out(slurm_text(ExportedPlan(plan, nodes=NODES), 2))
    (step,) = ExportedPlan(plan, nodes=NODES).step(2).jobs
    assert slurm.when(second, "RUNNING")["nodes"] == NODES.names(step.servers)
    slurm.run("scancel", str(second))


def test_a_refused_job_stays_held(slurm):
    refused = slurm.submit_held(1)
    plan = solve_for_racks(problem(named(refused, 0, 2, 1), green_w=[0, 0])).plan
    state = CarriedOutPlan(plan).state_after(0, Events(refused=(f"job-{refused}",)))
    slurm.carry_out(slurm_text(ExportedPlan(plan, state, nodes=NODES), 0))
    assert slurm.job(refused)["state"] == "PENDING"
    slurm.run("scancel", str(refused))


def test_a_malleable_job_starts_wide_and_gives_a_node_back(slurm):
    """The sun feeds two servers in the first hour, and one in the next two."""
    number = slurm.submit_held(1)
    curve = {1: 1_000_000, 2: 2_000_000}
    wide = job(f"job-{number}", hours=4, requested=1, curve=curve)
    made = cluster([2_000, 1_000, 1_000], [wide], slowdown_ppm=4_000_000)
    plan = solve_for_clusters(made).plan
    widths = [sum(count for _, count in plan.allocation(wide.name, t) or ()) for t in range(3)]
    assert widths == [2, 1, 1]
    exported = ExportedPlan(plan, nodes=NODES)
    slurm.carry_out(slurm_text(exported, 0))
    assert slurm.when(number, "RUNNING")["nodes"] == "n[1-2]"
    slurm.carry_out(slurm_text(exported, 1))
    ((step,), left) = exported.step(1).jobs, slurm.job(number)
    assert (left["state"], left["nodes"]) == ("RUNNING", NODES.names(step.servers))
    slurm.run("scancel", str(number))
