"""The look-up, written as plainly as it can be, over an artifact's plain JSON.

Vectors get their expected answers from here and not from any look-up that ships, so that every
one of those is checked against a second opinion. No bisection, no table, no class.
"""

from __future__ import annotations

from typing import Any


def look_up(
    ladder: dict[str, Any],
    load: int,
    waited_us: int,
    executed_us: int,
    output_ppm: int = 1_000_000,
) -> dict[str, Any]:
    """Start, wait and rung for one request, by walking through the whole ladder.

    `output_ppm` is what a controller scales the ages of climbs by.
    """
    guard = ladder["guard"]
    too_low, too_high = load < guard["min_load"], load > guard["max_load"]
    if guard["outside"] == "first-rung" and (too_low or too_high):
        return {"start": "now", "wait_us": 0, "rung": 0}
    row = _row(ladder["rows"], load)
    age_us = executed_us
    if "age-from-arrival" in ladder["rules"]:
        age_us = executed_us + waited_us
    rung = row["climbs"][0]["rung"]
    for climb in row["climbs"]:
        if climb["age_us"] * output_ppm // 1_000_000 <= age_us:
            rung = climb["rung"]
    return {**_admission(row["admission"], waited_us), "rung": rung}


def _row(rows: list[dict[str, Any]], load: int) -> dict[str, Any]:
    for row in rows:
        if load < row["first_load"]:
            # Only possible below the first row, which then holds.
            return row
        if "last_load" not in row or load <= row["last_load"]:
            return row
    raise AssertionError("the last row holds for every larger load")


def _admission(admission: dict[str, Any], waited_us: int) -> dict[str, Any]:
    if admission["kind"] == "on-exit":
        return {"start": "on-exit", "wait_us": 0}
    if admission["kind"] == "delay" and waited_us < admission["delay_us"]:
        return {"start": "wait", "wait_us": admission["delay_us"] - waited_us}
    return {"start": "now", "wait_us": 0}
