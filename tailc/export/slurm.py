"""The start of an epoch as commands of Slurm.

Jobs that start get their nodes and are released; jobs that wait or were refused are held. Slurm
cannot move a running job. Requeueing a job to its new nodes loses its work unless it writes
checkpoints, so these commands are comments. A job can give nodes back, but cannot get more, so
growing is a comment too. Nodes without a job are powered down by the power saving of Slurm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tailc.export.step import ExportedPlan, JobStep, NodeNames, refused_name
from tailc.traces.zones import utc_text

_NUMBER = re.compile(r"[0-9]+")


def slurm_text(exported: ExportedPlan, epoch: int) -> str:
    """Format the start of an epoch of a plan as a shell script for Slurm."""
    step, nodes = exported.step(epoch), exported.nodes
    lines = ["#!/bin/sh", f"# The plan from {utc_text(step.unix_s)} on."]
    if step.woken:
        lines.append(f"scontrol update NodeName={nodes.names(step.woken)} State=POWER_UP")
    for job in step.jobs:
        lines += _job_lines(job, nodes)
    held = (*step.waiting, *step.refused)
    lines += [f"scontrol hold {_id(name)}" for name in held]
    if step.asleep:
        lines.append(f"scontrol update NodeName={nodes.names(step.asleep)} State=POWER_DOWN")
    return "\n".join(lines) + "\n"


def _job_lines(job: JobStep, nodes: NodeNames) -> Iterator[str]:
    number, names = _id(job.name), nodes.names(job.servers)
    if not job.before:
        count = len(job.servers)
        tasks = "" if job.machines is None else f" NumTasks={job.machines}"
        yield f"scontrol update JobId={number} ReqNodeList={names} NumNodes={count}-{count}{tasks}"
        yield f"scontrol release {number}"
    elif set(job.servers) < set(job.before):
        yield f"scontrol update JobId={number} NodeList={names}"
    elif set(job.servers) > set(job.before):
        yield f"# {job.name} is to grow to {names}; Slurm cannot do this while it runs"
    elif job.servers != job.before:
        yield f"# {job.name} is to move to {names}; with checkpoints:"
        yield f"# scontrol requeuehold {number}"
        yield f"# scontrol update JobId={number} ReqNodeList={names}"
        yield f"# scontrol release {number}"


def _id(name: str) -> str:
    """Number of a job in Slurm, which is that in the log."""
    number = name.removeprefix("job-")
    if _NUMBER.fullmatch(number) is None:
        raise refused_name(name, "Slurm", "are `job-` and a number")
    return number
