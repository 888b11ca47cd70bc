"""Helpers of test_spec.py that other tests use too."""

from tailc.errors import Code
from tests.tailc.policies.slow_to_fast.case import swapped

TYPES = "types: [{speed: 1, count: 5}, {speed: 2, count: 2}]"
FROM = "  power_from: micro-2017-amp\n"
CONTROL = "control: {epoch: 50 requests, window: 200 requests}"
AMP = FROM + "  " + TYPES


def with_types(*types: str) -> str:
    return swapped((AMP, f"  types: [{', '.join(types)}]"))


SLOW = "{name: little, count: 5, speed: 1, power: 1W}"
FAST = "{name: big, count: 2, speed: 2, power: 6W}"
WRONG = {
    "no power": (with_types(SLOW, "{count: 2, speed: 2}"), Code.MISSING_KEY, "types[1].power"),
    "no speed": (with_types(SLOW, "{count: 2, power: 6W}"), Code.MISSING_KEY, "types[1].speed"),
    "power of 0": (with_types(SLOW, FAST.replace("6W", "0W")), Code.BAD_VALUE, "types[1].power"),
    "power below 0": (with_types(SLOW, FAST.replace("6W", "-6")), Code.BAD_VALUE, "types[1].power"),
    "power in joules": (
        with_types(SLOW, FAST.replace("6W", "6J")),
        Code.BAD_UNIT,
        "types[1].power",
    ),
    "speed of 0": (
        with_types(SLOW, FAST.replace("d: 2", "d: 0")),
        Code.BAD_VALUE,
        "types[1].speed",
    ),
    "count of 0": (
        with_types(SLOW, FAST.replace("t: 2", "t: 0")),
        Code.BAD_VALUE,
        "types[1].count",
    ),
    "count below 0": (
        with_types(SLOW, FAST.replace("t: 2", "t: -2")),
        Code.BAD_VALUE,
        "types[1].count",
    ),
    "speeds out of order": (with_types(FAST, SLOW), Code.BAD_VALUE, "types[1]"),
    "two of one speed": (
        with_types(SLOW, FAST.replace("d: 2", "d: 1")),
        Code.BAD_VALUE,
        "types[1]",
    ),
    "one name twice": (with_types(SLOW, FAST.replace("big", "little")), Code.BAD_VALUE, "types[1]"),
    "two units": (with_types(SLOW, FAST.replace("6W", "6")), Code.CONFLICT, "types[1].power"),
    "idle above work": (
        with_types(SLOW, FAST.replace("6W", "6W, idle_power: 7W")),
        Code.CONFLICT,
        "types[1].idle_power",
    ),
    "no core of that speed in the table": (
        swapped(("speed: 2", "speed: 1.5")),
        Code.BAD_VALUE,
        "types[1].speed",
    ),
    "no cores": (swapped((AMP, "  power_from: cubic")), Code.MISSING_KEY, "cores"),
    "types and levels": (
        swapped((TYPES, TYPES + "\n  dvfs: {count: 2, levels: [{speed: 1}]}")),
        Code.CONFLICT,
        "cores.dvfs",
    ),
    "a share for a table": (
        swapped((FROM, FROM + "  static_share: 20%\n")),
        Code.CONFLICT,
        "static_share",
    ),
    "a row without a table": (
        swapped(("{speed: 1, count: 5}", "{speed: 1, count: 5, row: {core: a}}")),
        Code.MISSING_KEY,
        "types[0].row",
    ),
    "one curve for all": (
        swapped((CONTROL, CONTROL + "\nspeedup: [1, 2]")),
        Code.CONFLICT,
        "speedup",
    ),
    "too few columns": (
        swapped((CONTROL, CONTROL + "\nspeedup: {columns: [a, b, c]}")),
        Code.CONFLICT,
        "speedup",
    ),
    "timings": (
        swapped(
            ("column: demand_ms", "timings: {request: r, degree: d, duration: t}"),
        ),
        Code.CONFLICT,
        "demand.timings",
    ),
    "a target above the slo": (
        swapped((CONTROL, "target: 90ms")),
        Code.CONFLICT,
        "target",
    ),
    "control without rates": (swapped(("rates: [20/s, 80/s]\n", "")), Code.MISSING_KEY, "rates"),
    "a rate twice": (swapped(("20/s, 80/s", "80/s, 80/s")), Code.BAD_VALUE, "rates[1]"),
    "a boundary beyond the rates": (
        swapped((CONTROL, "control: {boundaries: [50/s, 90/s]}")),
        Code.CONFLICT,
        "control.boundaries[1]",
    ),
    "boundaries that fall": (
        swapped((CONTROL, "control: {boundaries: [50/s, 40/s]}")),
        Code.BAD_VALUE,
        "control.boundaries[1]",
    ),
    "boundaries and intervals": (
        swapped((CONTROL, "control: {boundaries: [50/s], intervals: 2}")),
        Code.CONFLICT,
        "control.boundaries",
    ),
    "gains for other intervals": (
        swapped((CONTROL, "control: {gains: [{ki: 0.1}]}")),
        Code.CONFLICT,
        "control.gains",
    ),
    "a window below an epoch": (
        swapped((CONTROL, "control: {epoch: 500 requests, window: 400 requests}")),
        Code.CONFLICT,
        "control.window",
    ),
    "an epoch in seconds": (
        swapped((CONTROL, "control: {epoch: 1s}")),
        Code.BAD_UNIT,
        "control.epoch",
    ),
    "a solver for the dual": (
        swapped((CONTROL, "search: {method: dual, solver: scip}")),
        Code.CONFLICT,
        "search.solver",
    ),
    "a step for the dual": (
        swapped((CONTROL, "search: {method: dual, step: 1ms}")),
        Code.CONFLICT,
        "search.step",
    ),
    "a step for the default": (
        swapped((CONTROL, "search: {step: 1ms}")),
        Code.CONFLICT,
        "search.step",
    ),
    "a solver not known": (
        swapped((CONTROL, "search: {method: mip, solver: cplex}")),
        Code.BAD_VALUE,
        "search.solver",
    ),
    "a class first": (swapped(("80ms}", "80ms, class: gold}")), Code.CONFLICT, "slo[0].class"),
}
LEVELS = "levels: [{frequency: 1.7GHz, power: 1W}, {frequency: 3.4GHz, power: 4W}]"
WRITTEN = {
    "published": swapped(),
    "watts": with_types(SLOW, FAST.replace("6W", "6W, idle_power: 0, migration: 0ms")),
    "levels": swapped((AMP, f"  dvfs: {{count: 4, switch: 50us, {LEVELS}}}")),
    "a model": swapped((FROM, "  power_from: cubic\n  static_share: 0%\n")),
    "control off": swapped((CONTROL, "control: off")),
    "gains": swapped((CONTROL, "control: {intervals: 1, gains: [{kp: -0.1, ki: 0.2, kd: 0}]}")),
    "boundaries": swapped((CONTROL, "control: {structure: pid, boundaries: [50/s]}")),
    "columns": swapped((CONTROL, "speedup: {columns: [a, b]}")),
    "a solver": swapped((CONTROL, "search: {method: mip, solver: cp-sat, time_limit: 5s}")),
    "a target": swapped((CONTROL, "target: 75ms\nsearch: {objective: energy}")),
}
