"""Warn about a quantum or a measuring window that is too coarse for its policy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Severity
from tailc.forms.ladder.table import Ladder
from tailc.percentiles import PPM
from tailc.specs.load import LoadedSpec
from tailc.traces.profile import DemandProfile
from tailc.units import format_percentile, format_us, plural

_US_PER_MS = 1_000
MUCH_LONGER = 4
"""Ratio of quantum to the age of the last climb that causes a warning. Shorter ones only delay."""


def coarse_settings(policy: Policy, loaded: LoadedSpec) -> Iterator[Finding]:
    """Warn of a quantum longer than the ages of all climbs, and of a window with too few requests.

    The percentile of such a measuring window is its maximum.
    """
    yield from _quantum(policy, loaded)
    yield from _window(policy, loaded)


def _quantum(policy: Policy, loaded: LoadedSpec) -> Iterator[Finding]:
    for ladder in policy.ladders:
        climbs = [climb for row in ladder.rows for climb in row.climbs]
        last_us = max((climb.age_us for climb in climbs), default=0)
        if not 0 < MUCH_LONGER * last_us < ladder.quantum_us:
            continue
        message = (
            f"`server.quantum` is {format_us(ladder.quantum_us)}, much longer than the age of the "
            f"last climb, {format_us(last_us)}: a request that ends within a quantum never "
            "climbs, and any other request makes all its climbs at once"
        )
        hint = f"lower it well below {format_us(last_us)}"
        place = loaded.place("server", "quantum")
        yield Finding(Code.LONG_QUANTUM, message, place, hint, Severity.WARNING)
        return


def quantum_beyond_demand(
    policy: Policy, design: DemandProfile, loaded: LoadedSpec
) -> Iterator[Finding]:
    """Warn of a quantum that is longer than the mean demand.

    Then many requests end before their age is checked. No warning if the quantum is longer than all
    climbs, which has a warning of its own.
    """
    mean_us = round(float(np.average(design.demand_ms, weights=design.weight)) * _US_PER_MS)
    longest_us = max(
        (each.quantum_us for each in policy.ladders if _climbs_with_age(each)), default=0
    )
    if longest_us > mean_us and next(_quantum(policy, loaded), None) is None:
        message = (
            f"the quantum is {format_us(longest_us)}, longer than the mean demand of "
            f"{format_us(mean_us)}: requests climb late, and "
            "many end before a server checks their age for the first time"
        )
        hint = "lower `server.quantum`, for example to a tenth of the median demand"
        place = loaded.place("server", "quantum")
        yield Finding(Code.QUANTUM_OVER_DEMAND, message, place, hint, Severity.WARNING)


def _climbs_with_age(ladder: Ladder) -> bool:
    return any(climb.age_us > 0 for row in ladder.rows for climb in row.climbs)


def _window(policy: Policy, loaded: LoadedSpec) -> Iterator[Finding]:
    controller = policy.controller
    if controller is None:
        return
    enough = -(-PPM // (PPM - controller.percentile_ppm))
    if controller.window_requests >= enough:
        return
    key = "control" if policy.tail_table is None else "feedback"
    percentile = format_percentile(controller.percentile_ppm)
    message = (
        f"`{key}.window` is {plural(controller.window_requests, 'request')}, whose {percentile} "
        "is the longest latency among them: the controller follows single requests"
    )
    hint = f"lengthen it to {enough:,} requests or more"
    place = loaded.place(key, "window")
    yield Finding(Code.SHORT_WINDOW, message, place, hint, Severity.WARNING)
