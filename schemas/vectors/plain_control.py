"""The law of a controller and what it scales, written as plainly as can be, over plain JSON.

As in linear_scan, expected answers come from here and not from any controller that ships: the
errors are kept in a list, the output as a fraction of 1.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

MILLION = 1_000_000
LARGEST_ERROR_US = 2**31 - 1


def outputs(controller: dict[str, Any], measured: list[tuple[int, int]]) -> list[int]:
    """The output before the first step and after each, in units of 2^-fraction_bits.

    `measured` holds a tail in us and a rate in thousandths of a request per second for each step.
    """
    unit = Fraction(1, 2 ** controller["fraction_bits"])
    first, least, most = (
        _rounded_down(Fraction(controller[name], MILLION), unit)
        for name in ("first_ppm", "least_ppm", "most_ppm")
    )
    output, found, errors = first, [first], []
    for tail_us, rate_mrps in measured:
        errors.append(_error(controller["target_us"] - tail_us))
        now, before, earlier = _last_three(errors)
        gains = _gains(controller["gains"], rate_mrps)
        output += gains["kp"] * unit * (now - before)
        output += gains["ki"] * unit * now
        output += gains["kd"] * unit * ((now - before) - (before - earlier))
        output = least if output < least else most if output > most else output
        found.append(output)
    return [int(output / unit) for output in found]


def in_millionths(controller: dict[str, Any], output: int) -> int:
    """The nearest millionth; a half goes up."""
    return floor(Fraction(output, 2 ** controller["fraction_bits"]) * MILLION + Fraction(1, 2))


def scaled_climbs(row: dict[str, Any], output_ppm: int) -> list[tuple[int, int]]:
    """(age, rung) of the row's climbs; of those on one age the highest rung."""
    ages = [floor(Fraction(climb["age_us"] * output_ppm, MILLION)) for climb in row["climbs"]]
    return [
        (age, max(c["rung"] for a, c in zip(ages, row["climbs"], strict=True) if a == age))
        for age in sorted(set(ages))
    ]


def _rounded_down(share: Fraction, unit: Fraction) -> Fraction:
    return floor(share / unit) * unit


def _error(error_us: int) -> int:
    if error_us < -LARGEST_ERROR_US:
        return -LARGEST_ERROR_US
    return error_us


def _last_three(errors: list[int]) -> tuple[int, int, int]:
    """Newest first; before the first step the error was what it is at that step."""
    padded = [errors[0], errors[0], *errors]
    return padded[-1], padded[-2], padded[-3]


def _gains(rows: list[dict[str, Any]], rate_mrps: int) -> dict[str, Any]:
    held = rows[0]
    for row in rows:
        if row["first_rate_mrps"] <= rate_mrps:
            held = row
    return held
