"""The explanation of a table cell as JSON data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.forms.ladder.table import Rule, rules_beyond_rows
from tailc.report.json_data import json_data
from tailc.studies.why.paired_effect import MeasuredEffect, OverloadEffect
from tailc.studies.why.units import held_unit, used_unit

if TYPE_CHECKING:
    from tailc.forms.ladder.table import Climb, Ladder, Row
    from tailc.studies.why.cell_explanation import CellExplanation
    from tailc.studies.why.decision import Decision
    from tailc.studies.why.occupancy import OccupancyShares
    from tailc.studies.why.paired_effect import Effect


FORMAT, VERSION = "tailc-why", 1


def as_dict(decision: Decision, answer: CellExplanation | None) -> dict[str, object]:
    """Convert the explanation to JSON data; `replayed` is null without replays."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "decision": _decision_dict(decision),
        "replayed": None if answer is None else _bought_dict(decision, answer),
    }


def _decision_dict(decision: Decision) -> dict[str, object]:
    upcoming, row = None if decision.gave_up else decision.upcoming, decision.row
    return {
        "in_system": decision.load,
        "age_us": decision.age_us,
        "row": _row_dict(row),
        "is_outside_guard": decision.is_outside,
        "rung": decision.rung,
        "rung_name": decision.table.rungs[decision.rung].name,
        "climb": _climb_dict(decision, decision.climb),
        "next": None if upcoming is None else _climb_dict(decision, upcoming),
        "ages_from": _origin(decision.table),
        "quantum_us": decision.table.quantum_us,
        "gave_up": decision.gave_up,
        "rules": [rule.value for rule in rules_beyond_rows(decision.table)],
    }


def _origin(table: Ladder) -> str:
    if Rule.BUSY_PERIOD_AGE in table.rules:
        return "busy-period"
    return "arrival" if Rule.AGE_FROM_ARRIVAL in table.rules else "start"


def _row_dict(row: Row) -> dict[str, object]:
    return {
        "first_load": row.first_load,
        "last_load": row.last_load,
        "admission": row.admission.kind.value,
        "delay_us": row.admission.delay_us,
        "climbs": [{"age_us": edit.age_us, "rung": edit.rung} for edit in row.climbs],
    }


def _climb_dict(decision: Decision, climb: Climb) -> dict[str, object]:
    low_us, high_us = decision.happens_us(climb)
    ticks = {"first_tick_us": low_us, "last_tick_us": high_us}
    return {"age_us": climb.age_us, "rung": climb.rung, **ticks}


def _bought_dict(decision: Decision, answer: CellExplanation) -> dict[str, object]:
    return {
        "arrivals": answer.query.arrivals.name,
        "rate_mrps": answer.query.arrivals.rate_mrps,
        "percentile_ppm": answer.query.percentile_ppm,
        "replays": answer.replays,
        "requests": answer.query.requests,
        "is_design": answer.query.is_design,
        "seed": answer.query.seed,
        "tail_us": answer.as_it_is.tail_us,
        "used_ppm": answer.as_it_is.used_ppm,
        "resource": held_unit(decision.table),
        "used_unit": used_unit(decision.table),
        "presence": _presence_dict(answer.presence),
        "edits": [{"edit": edit.edit.value, **_effect_dict(other)} for edit, other in answer.edits],
        "better": [edit.edit.value for edit in answer.better],
        "worse": [edit.edit.value for edit in answer.worse],
        "formula": _formula_dict(answer),
        "inputs": [{"input": str(edit), **_effect_dict(other)} for edit, other in answer.inputs],
    }


def _presence_dict(presence: OccupancyShares) -> dict[str, int]:
    return {
        "requests_ppm": presence.requests_ppm,
        "held_time_ppm": presence.held_time_ppm,
        "reach_age_ppm": presence.turning_ppm,
        "older_time_ppm": presence.older_held_time_ppm,
    }


def _formula_dict(answer: CellExplanation) -> dict[str, object] | None:
    if answer.formula is None:
        return None
    row = answer.formula.row
    return {
        "decision": _decision_dict(answer.formula.decision),
        "row_alone": None if row is None else _effect_dict(row),
        "whole_table": _effect_dict(answer.formula.table),
    }


def _effect_dict(answer: Effect) -> dict[str, object]:
    """Convert an effect to JSON data; values are null if the server is overloaded."""
    match answer:
        case OverloadEffect():
            return {"tail_us": None, "change_us": None, "used_ppm": None, "used_change_ppm": None}
        case MeasuredEffect():
            return {
                "tail_us": answer.tail_us,
                "change_us": json_data(answer.tail),
                "used_ppm": answer.used_ppm,
                "used_change_ppm": json_data(answer.used),
            }
