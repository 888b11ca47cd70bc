"""Reports of the differences between two plans: text lines, a table of costs, and JSON data."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tailc.diff.plans import EpochChange, JobChange, PlanChange
from tailc.report.diff.words import change_text
from tailc.report.json_data import json_data
from tailc.report.plan import cents_text
from tailc.traces.zones import utc_text

Rows = list[tuple[str, ...]]
COST_NUMBERS = (1, 2, 3)

_MJ_PER_KWH = 3_600_000_000
_MG_PER_KG = 1_000_000
_NAMES = {
    "demand_mj": "energy used [kWh]",
    "green_used_mj": "green energy used [kWh]",
    "brown_mj": "brown energy [kWh]",
    "spilled_mj": "green energy left over [kWh]",
    "charged_mj": "energy into the battery [kWh]",
    "lost_mj": "lost in the battery [kWh]",
    "discharged_mj": "energy out of the battery [kWh]",
    "brown_udollars": "price of brown energy",
    "brown_mg": "CO2 [kg]",
    "moved_servers": "servers moved",
    "fees_udollars": "fees of jobs",
    "penalty_udollars": "penalties",
}


def summary_text(change: PlanChange) -> str:
    """Format the number of changed jobs by type of change."""
    counts = Counter(job.how.value for job in change.jobs)
    counts_text = ", ".join(f"{count} {how}" for how, count in counts.items())
    return f"jobs: {counts_text}" if counts_text else "no job differs"


def job_text(job: JobChange) -> str:
    """Format how a job changes from one plan to the other: type, start, duration and slots."""
    when = ""
    if job.first_unix_s is not None:
        epochs = "1 epoch" if job.epochs == 1 else f"{job.epochs:,} epochs"
        when = f" from {utc_text(job.first_unix_s)}, {epochs}"
    both = (job.old, job.new)
    slots = " -> ".join("none" if side is None else f"{side.slots:,}" for side in both)
    green = " -> ".join("none" if side is None else f"{side.green:,}" for side in both)
    return f"{job.name}: {job.how.value}{when}; slots {slots}, green {green}"


def epoch_text(epoch: EpochChange) -> str:
    """Format how the forecast and prices of an epoch change from one plan to the other."""
    return f"{utc_text(epoch.first_unix_s)}: {'; '.join(map(change_text, epoch.changes))}"


def cost_title(change: PlanChange) -> str:
    """Title of the table that compares the costs of two plans."""
    return f"expected in the {change.shared_epochs:,} epochs that both have, and of all jobs"


def cost_table(change: PlanChange) -> Rows:
    """Build the table of costs of two plans: old value, new value and difference.

    Quantities that are 0 in both plans are omitted.
    """
    rows: Rows = [("", "old", "new", "change")]
    for cost in change.costs:
        if cost.old or cost.new:
            difference = cost.new - cost.old
            cells = [_text(cost.name, value) for value in (cost.old, cost.new, difference)]
            sign = "+" if difference > 0 else ""
            rows.append((_NAMES[cost.name], *cells[:2], sign + cells[2]))
    return rows


def plan_dict(change: PlanChange) -> dict[str, Any]:
    """Convert all differences of two plans to JSON data."""
    costs = [
        {
            "name": cost.name,
            "old": cost.old,
            "new": cost.new,
            "unit": "jobs" if cost.is_of_jobs else "shared epochs",
        }
        for cost in change.costs
    ]
    return json_data(change) | {"jobs": [_job(job) for job in change.jobs], "costs": costs}


def _job(job: JobChange) -> dict[str, Any]:
    return {
        "name": job.name,
        "change": job.how.name.lower(),
        "first_unix_s": job.first_unix_s,
        "epochs": job.epochs,
        "old_slots": job.old.slots if job.old else None,
        "new_slots": job.new.slots if job.new else None,
        "old_green_slots": job.old.green if job.old else None,
        "new_green_slots": job.new.green if job.new else None,
    }


def _text(name: str, value: int) -> str:
    if name.endswith("_mj"):
        return f"{value / _MJ_PER_KWH:,.3f}"
    if name.endswith("_mg"):
        return f"{value / _MG_PER_KG:,.3f}"
    return cents_text(value) if name.endswith("_udollars") else f"{value:,}"
