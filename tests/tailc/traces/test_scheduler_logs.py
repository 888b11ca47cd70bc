"""Logs of schedulers that are no tables are called what they are, with a command that makes one."""

import json
import re
import subprocess

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.jobs.job_list import JobColumns, JobTimeUnit, read_job_list
from tailc.traces.scheduler_logs import scheduler_log
from tailc.traces.source import open_source

FIXED = (
    "JobID           JobName    Elapsed   NNodes \n------------ ---------- ---------- -------- \n"
    "4608               echo   00:10:00        2 \n"
)
SQUEUE = "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
PBS = (
    "04/18/2024 09:00:00;Q;123.server;queue=q\n"
    "04/18/2024 10:00:00;E;123.server;user=a queue=q ctime=1713434400 qtime=1713434400 "
    "etime=1713434400 start=1713434410 owner=a exec_host=n1/0 Resource_List.nodect=3 "
    "Resource_List.walltime=01:00:00 session=1 end=1713438010 Exit_status=0\n"
    "04/18/2024 10:10:00;E;122.server;user=a queue=q ctime=1713434000 qtime=1713434000 "
    "etime=1713434000 start=1713434100 owner=a exec_host=n2/0 Resource_List.nodect=1 "
    "Resource_List.walltime=01:00:00 session=1 end=1713434160 Exit_status=0\n"
)
LSF = (
    '"JOB_FINISH" "10.1" 1713438010 12 1000 33816578 4 1713434400 0 0 1713434410 "a" "q"\n'
    '"JOB_FINISH" "10.1" 1713434160 11 1000 33816578 2 1713434000 0 0 1713434100 "a" "q"\n'
    '"JOB_FINISH" "10.1" 1713434161 13 1000 33816578 2 1713434001 0 0 0 "a" "q"\n'
)


def _of_sge(submit, run, slots, task="NONE"):
    fields = f"all.q:n1:users:ann:sim:7:sge:0:{submit}:{submit + 9}:{submit + 9 + run}:0:0:{run}"
    rest = ":".join("0" * 17) + f":NONE:defaultdepartment:mpi:{slots}:0:5.1:0:0:-pe mpi 4:0:{task}"
    return f"{fields}:{rest}:512.0:0:0\n"


SGE = (
    "# Version: 8.1.9\n#\n"
    + _of_sge(1_713_434_400, 3_600, 16)
    + _of_sge(1_713_434_000, 60, 1)
    + _of_sge(1_713_434_000, 60, 16, "1.n7")
    + _of_sge(1_713_434_001, 0, 16)
)
CONDOR = "".join(
    f'ClusterId = {at}\nOwner = "ann"\nQDate = {submit}\nRequestCpus = {cpus}\n'
    f"RemoteWallClockTime = {run}.0\n"
    for at, (submit, run, cpus) in enumerate(
        ((1_713_434_400, 3_600, 16), (1_713_434_000, 60, 1), (1_713_434_001, 0, 4))
    )
).replace("ClusterId", "\nClusterId")[1:]


OF_SACCT = json.dumps(
    {"jobs": [{"allocation_nodes": 2, "time": {"elapsed": 5, "submission": 3}}]}, indent=1
)


@pytest.mark.parametrize(
    ("text", "what", "width", "widths"),
    [
        (SGE, "an accounting file of Grid Engine", "slots", [1, 16]),
        (CONDOR, "a history of HTCondor", "cpus", [1, 16]),
        (CONDOR.replace("\n\n", "\n*** Offset = 0\n"), "a history of HTCondor", "cpus", [1, 16]),
        (SGE.partition("#\n")[2], "an accounting file of Grid Engine", "slots", [1, 16]),
        (PBS, "an accounting log of PBS", "nodes", [1, 3]),
        (LSF, "an accounting log of LSF", "slots", [2, 4]),
    ],
)
def test_the_advised_command_gives_the_jobs(tmp_path, text, what, width, widths):
    message, advice = refused(tmp_path, text)
    assert what in message
    command = re.findall(r"`(.*) > jobs.csv`", advice)[0].replace("FILE", "t.log")
    table = subprocess.check_output(["/bin/sh", "-c", command], cwd=tmp_path, text=True)
    (tmp_path / "jobs.csv").write_text(table)
    columns = JobColumns("submit", "run", width, JobTimeUnit.SECOND, JobTimeUnit.SECOND)
    log = read_job_list(str(tmp_path / "jobs.csv"), columns)
    assert log.submit_s.tolist() == [1_713_434_000, 1_713_434_400]
    assert (log.run_s.tolist(), log.width.tolist()) == ([60, 3_600], widths)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (FIXED, "a list of `sacct`"),
        (SQUEUE, "a list of `squeue`"),
        (OF_SACCT, "JSON of `sacct --json`"),
    ],
)
def test_lists_of_slurm_are_to_be_written_with_bars(tmp_path, text, what):
    message, advice = refused(tmp_path, text)
    assert (what in message, "sacct -X -P" in advice) == (True, True)


@pytest.mark.parametrize(
    "text",
    [
        "JobID|Submit|Elapsed\n4608|2021-07-30T08:00:00|00:10:00\n",
        "JobID,run\n1,2\n",
        "JOBID,PARTITION\n1,a\n",
        "04/18/2024 10:00:00,E\n",
        "; Version: 2.2\n",
    ],
)
def test_tables_of_jobs_are_no_such_logs(text):
    assert scheduler_log(text.encode()) is None


def refused(folder, text):
    path = folder / "t.log"
    path.write_text(text)
    with pytest.raises(TailcError) as caught, open_source(str(path)):
        pass
    (finding,) = caught.value.findings
    assert finding.code is Code.UNKNOWN_INPUT
    return finding.message, finding.help or ""


def test_what_qstat_prints_is_to_be_the_accounting_log(tmp_path):
    text = "Job Id: 100.server\n    Job_Name = cfd\n    resources_used.walltime = 01:10:00\n"
    message, advice = refused(tmp_path, text)
    assert ("what `qstat -f` of PBS prints" in message, "accounting log" in advice) == (True, True)
