"""A plan as a table: which job runs on which servers from when to when, and which servers sleep."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tailc.export.step import ExportedPlan
from tailc.forms.plan.servers import Servers, ranges_text
from tailc.traces.zones import utc_text

HEAD = "from,to,what,job,machines,servers"


def servers_text(exported: ExportedPlan) -> str:
    """Format a plan as CSV: rows for each job and for the sleeping servers.

    A row covers a period in which the servers do not change.
    """
    return "\n".join([HEAD, *sorted(_rows(exported))]) + "\n"


def _rows(exported: ExportedPlan) -> Iterator[str]:
    plan, begun = exported.plan, dict[tuple[str, str, str, Servers], int]()
    for epoch in range(len(plan.epochs) + 1):
        here: set[tuple[str, str, str, Servers]] = set()
        if epoch < len(plan.epochs):
            step = exported.step(epoch)
            for job in step.jobs:
                machines = "" if job.machines is None else str(job.machines)
                here.add(("runs", job.name, machines, job.servers))
            if step.asleep:
                here.add(("sleeps", "", "", step.asleep))
        for what in [what for what in begun if what not in here]:
            times = (_time(exported, begun.pop(what)), _time(exported, epoch))
            cells = (what[0], _cell(what[1]), what[2], f'"{ranges_text(what[3])}"')
            yield ",".join([*times, *cells])
        for what in here:
            begun.setdefault(what, epoch)


def _cell(text: str) -> str:
    """Text as a cell of CSV (RFC 4180)."""
    return text if re.search(r'[",\r\n]', text) is None else '"' + text.replace('"', '""') + '"'


def _time(exported: ExportedPlan, epoch: int) -> str:
    return utc_text(exported.plan.start_unix_s + epoch * exported.plan.epoch_s)
