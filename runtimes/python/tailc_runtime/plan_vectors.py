"""Run sequences of calls of a plan, and compare the results with the expected ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tailc_runtime.opening import open_plan
from tailc_runtime.plan import Plan
from tailc_runtime.plan_pricing import Quote
from tailc_runtime.raw import RawSpan

_ANSWER = ("answer", "pays_udollars", "worth_udollars", "green_slots", "places")
Row = dict[str, str]


def wrong_calls(policy: Path, rows: list[Row]) -> list[str]:
    """One line for each call in `rows` with a wrong answer of `policy`."""
    wrong: list[str] = []
    plan, sequence = open_plan(policy), ""
    for number, row in enumerate(rows):
        if row["sequence"] != sequence:
            plan, sequence = open_plan(policy), row["sequence"]
        got, wanted = _answered(plan, row), tuple(row[name] for name in _ANSWER)
        if got != wanted:
            wrong.append(f"{policy}: {sequence}, line {number}, is {got}, wanted {wanted}")
    return wrong


def _answered(plan: Plan, row: Row) -> tuple[str, ...]:
    """The answer, three amounts and places, in the format of the file."""
    call = row["call"]
    if call in ("about", "epoch", "source", "stored", "allocation"):
        return _looked_up(plan, row)
    if call == "release":
        plan.release(row["job"], int(row["first_epoch"]))
        return ("released", "", "", "", "")
    if call == "width":
        pairs = (pair.split(":") for pair in row["widths"].split())
        widths = {int(width): int(epochs) for width, epochs in pairs}
        return (_text(plan.cheapest_width(int(row["first_epoch"]), widths)), "", "", "", "")
    job = int(row["first_epoch"]), int(row["epochs"]), int(row["width"])
    if call == "take":
        places = plan.take(row["job"], *job)
        return ("no-room" if places is None else "taken", "", "", "", _spans(places))
    green_ppm = int(row["green_ppm"])
    if call == "admit":
        return _quoted(plan.admit(row["job"], *job, green_ppm))
    return _quoted(plan.quote(*job, green_ppm))


def _looked_up(plan: Plan, row: Row) -> tuple[str, ...]:
    if row["call"] == "about":
        return (f"{_text(plan.grid_mw)}:{_text(plan.later_jobs)}", "", "", "", "")
    unix_s = int(row["unix_s"])
    if row["call"] == "epoch":
        return (_text(plan.epoch_at(unix_s)), "", "", "", "")
    if row["call"] == "source":
        return (_text(plan.source(int(row["pool"]), unix_s)), "", "", "", "")
    if row["call"] == "stored":
        told = plan.stored(unix_s)
        return ("" if told is None else f"{told.battery_mj}:{told.stored_mj}", "", "", "", "")
    held = plan.allocation(row["job"], unix_s)
    places = " ".join(f"{pool}:{servers}" for pool, servers in held or ())
    return ("" if held is None else "told", "", "", "", places)


def _quoted(told: Quote) -> tuple[str, ...]:
    answer = "admitted" if told.is_admitted else "refused"
    answer = "no-room" if told.places is None else answer
    amounts = told.pays_udollars, told.worth_udollars, told.green_slots
    return (answer, *map(str, amounts), _spans(told.places))


def _spans(places: Sequence[RawSpan] | None) -> str:
    return " ".join(
        f"{span.first_epoch}:{span.pool}:{span.epochs}:{span.servers}" for span in places or ()
    )


def _text(value: object) -> str:
    return "" if value is None else str(value)
