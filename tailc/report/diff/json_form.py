"""The differences between two policies as JSON data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tailc.diff.compare import Diff
from tailc.diff.rows import RowChange
from tailc.diff.structure import FormChange
from tailc.report.diff.plans import plan_dict
from tailc.report.json_data import json_data

if TYPE_CHECKING:
    from tailc.diff.behaviour import Behaviour, BehaviourPoint
    from tailc.diff.decisions import Example, Share

FORMAT = "tailc-diff"
VERSION = 1


def as_dict(diff: Diff) -> dict[str, Any]:
    """Convert the differences to JSON data, as schemas/report/diff-1.schema.json describes."""
    structure = diff.structure
    return {
        "format": FORMAT,
        "version": VERSION,
        "old": json_data(diff.old),
        "new": json_data(diff.new),
        "differs": structure.differs,
        "slos": [json_data(change) for change in structure.promise],
        "forms": {
            "added": list(structure.added),
            "removed": list(structure.removed),
            "changed": [_form_dict(form) for form in structure.forms],
            "controller": [json_data(change) for change in structure.controller],
            "tail_table": json_data(structure.tail_table) if structure.tail_table else None,
            "shares": [json_data(change) for change in structure.shares],
            "plan": plan_dict(structure.plan) if structure.plan else None,
            "budget_table": [json_data(change) for change in structure.budget_table],
        },
        "without_effect": [json_data(change) for change in structure.without_effect],
        "behaviour": None if diff.behaviour is None else _behaviour_dict(diff.behaviour),
    }


def _form_dict(form: FormChange) -> dict[str, Any]:
    return json_data(form) | {"rows": [_row_dict(row) for row in form.rows]}


def _row_dict(row: RowChange) -> dict[str, Any]:
    starts, rungs = row.admission, row.first_rung
    return json_data(row) | {
        "admission": starts and {"old": json_data(starts[0]), "new": json_data(starts[1])},
        "first_rung": rungs and {"old": rungs[0], "new": rungs[1]},
    }


def _behaviour_dict(behaviour: Behaviour) -> dict[str, Any]:
    decisions = behaviour.decisions
    return {
        "held_out": {"digest": behaviour.held_out_digest, "requests": behaviour.held_out_requests},
        "replay": {
            "seed": behaviour.seed,
            "requests": behaviour.requests_per_replay,
            "replicates": behaviour.replicates,
            "cut_off_us": behaviour.cut_off_us,
        },
        "decisions": {
            "unknown": decisions.unknown or None,
            "requests": decisions.requests,
            "changed": decisions.changed_requests,
            "points": [_share_dict(share) for share in decisions.shares],
            "examples": [_example_dict(example) for example in decisions.examples],
        },
        "points": [_point_dict(point) for point in behaviour.points],
    }


def _share_dict(share: Share) -> dict[str, Any]:
    return {
        "arrivals": share.arrivals,
        "requests": share.requests,
        "changed": share.changed_requests,
        "share_ppm": share.share_ppm,
        "by_cause": {cause.value: count for cause, count in share.by_cause},
    }


def _example_dict(example: Example) -> dict[str, Any]:
    return {
        "arrivals": example.arrivals,
        "cause": example.cause.value,
        "requests": example.similar_requests,
        "demand_us": example.demand_us,
        "in_system": example.in_system,
        "waited_us": example.waited_us,
        "run_us": example.executed_us,
        "old": example.old,
        "new": example.new,
    }


def _point_dict(point: BehaviourPoint) -> dict[str, Any]:
    is_overloaded = point.old_is_overloaded or point.new_is_overloaded
    return {
        "arrivals": point.arrivals,
        "rate_mrps": point.rate_mrps,
        "old_is_overloaded": point.old_is_overloaded,
        "new_is_overloaded": point.new_is_overloaded,
        "quantities": [
            {
                "name": quantity.name,
                "unit": quantity.unit,
                "old": quantity.change.old,
                "new": quantity.change.new,
                "change": quantity.change.difference,
                "low": quantity.change.low,
                "high": quantity.change.high,
                "shown": None if is_overloaded else quantity.change.significance.value,
            }
            for quantity in point.quantities
        ],
    }
