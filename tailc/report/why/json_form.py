"""What decides in a cell of a table, and what that buys, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.forms.ladder.table import beside_rows
from tailc.studies.why.paired_effect import MeasuredEffect, Overloaded
from tailc.studies.why.units import held_unit, used_unit

if TYPE_CHECKING:
    from tailc.forms.ladder.table import Climb, Row
    from tailc.studies.why.answer import Bought
    from tailc.studies.why.decision import Decision
    from tailc.studies.why.occupancy import Presence
    from tailc.studies.why.paired_effect import Difference, Effect


FORMAT, VERSION = "tailc-why", 1


def as_dict(at: Decision, found: Bought | None) -> dict[str, object]:
    """The document; `replayed` is null where nothing was."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "decision": _decision_dict(at),
        "replayed": None if found is None else _bought_dict(at, found),
    }


def _decision_dict(at: Decision) -> dict[str, object]:
    upcoming, row = None if at.gave_up else at.upcoming, at.row
    return {
        "in_system": at.load,
        "age_us": at.age_us,
        "row": _row_dict(row),
        "is_outside_guard": at.is_outside,
        "rung": at.rung,
        "rung_name": at.table.rungs[at.rung].name,
        "climb": _climb_dict(at, at.climb),
        "next": None if upcoming is None else _climb_dict(at, upcoming),
        "ages_from": "arrival" if at.from_arrival else "start",
        "quantum_us": at.table.quantum_us,
        "gave_up": at.gave_up,
        "rules": [rule.value for rule in beside_rows(at.table)],
    }


def _row_dict(row: Row) -> dict[str, object]:
    return {
        "first_load": row.first_load,
        "last_load": row.last_load,
        "admission": row.admission.kind.value,
        "delay_us": row.admission.delay_us,
        "climbs": [{"age_us": one.age_us, "rung": one.rung} for one in row.climbs],
    }


def _climb_dict(at: Decision, climb: Climb) -> dict[str, object]:
    low_us, high_us = at.happens_us(climb)
    ticks = {"first_tick_us": low_us, "last_tick_us": high_us}
    return {"age_us": climb.age_us, "rung": climb.rung, **ticks}


def _bought_dict(at: Decision, found: Bought) -> dict[str, object]:
    return {
        "arrivals": found.asked.arrivals.name,
        "rate_mrps": found.asked.arrivals.rate_mrps,
        "percentile_ppm": found.asked.percentile_ppm,
        "replays": found.replays,
        "requests": found.asked.requests,
        "seed": found.asked.seed,
        "tail_us": found.as_it_is.tail_us,
        "used_ppm": found.as_it_is.used_ppm,
        "resource": held_unit(at.table),
        "used_unit": used_unit(at.table),
        "presence": _presence_dict(found.presence),
        "edits": [{"edit": one.edit.value, **_effect_dict(other)} for one, other in found.edits],
        "better": [one.edit.value for one in found.better],
        "worse": [one.edit.value for one in found.worse],
        "formula": _formula_dict(found),
        "inputs": [{"input": str(one), **_effect_dict(other)} for one, other in found.inputs],
    }


def _presence_dict(there: Presence) -> dict[str, int]:
    return {
        "requests_ppm": there.requests_ppm,
        "held_time_ppm": there.held_time_ppm,
        "reach_age_ppm": there.turning_ppm,
        "older_time_ppm": there.older_held_time_ppm,
    }


def _formula_dict(found: Bought) -> dict[str, object] | None:
    if found.formula is None:
        return None
    row = found.formula.row
    return {
        "decision": _decision_dict(found.formula.decision),
        "row_alone": None if row is None else _effect_dict(row),
        "whole_table": _effect_dict(found.formula.table),
    }


def _effect_dict(found: Effect) -> dict[str, object]:
    """Null where requests pile up."""
    match found:
        case Overloaded():
            return {"tail_us": None, "change_us": None, "used_ppm": None, "used_change_ppm": None}
        case MeasuredEffect():
            return {
                "tail_us": found.tail_us,
                "change_us": _difference(found.tail),
                "used_ppm": found.used_ppm,
                "used_change_ppm": _difference(found.used),
            }


def _difference(found: Difference) -> dict[str, int]:
    return {"mean": found.mean, "low": found.low, "high": found.high}
