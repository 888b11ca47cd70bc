"""The start of an epoch as commands of Kubernetes, for Jobs with one Pod on a node.

A Job that starts is resumed with a parallelism, one that waits or was refused is suspended, and a
malleable Job changes its parallelism while it runs. Nodes without a job are cordoned, so that the
scheduler places the Pods on the others; it may choose other nodes for a Job than the plan.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from shlex import quote

from tailc.export.step import ExportedPlan, NodeNames, refused_name
from tailc.forms.plan.servers import Servers
from tailc.traces.zones import utc_text

# A subdomain of DNS; Pods of a Job have its name as a label, which is shorter.
_PART = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_NAMES = "have 1 to 63 small letters, digits, and between them `-` and single `.`"
_NAME = re.compile(rf"(?=.{{1,63}}\Z){_PART}(\.{_PART})*")


def kubernetes_text(exported: ExportedPlan, epoch: int) -> str:
    """Format the start of an epoch of a plan as a shell script for Kubernetes."""
    step, nodes = exported.step(epoch), exported.nodes
    busy = tuple(sorted(server for job in step.jobs for server in job.servers))
    lines = ["#!/bin/sh", f"# The plan from {utc_text(step.unix_s)} on."]
    lines += _each_node("uncordon", busy, nodes)
    lines += _each_node("cordon", step.asleep, nodes)
    for job in step.jobs:
        if len(job.before) != len(job.servers):
            lines.append(_patch(job.name, suspend=False, parallelism=len(job.servers)))
    lines += [_patch(name, suspend=True) for name in (*step.waiting, *step.refused)]
    return "\n".join(lines) + "\n"


def _each_node(verb: str, servers: Servers, nodes: NodeNames) -> Iterator[str]:
    if servers:
        yield f"kubectl {verb} {' '.join(map(nodes.name, servers))}"


def _patch(name: str, **spec: object) -> str:
    if _NAME.fullmatch(name) is None:
        raise refused_name(name, "Kubernetes", _NAMES)
    return f"kubectl patch job {name} --type=merge -p {quote(json.dumps({'spec': spec}))}"
