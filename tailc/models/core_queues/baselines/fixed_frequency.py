"""Baseline `fixed`: every request at one frequency, by default the clock of the measured demands.

Bartolini (2015, section 3.9.1) runs the nominal frequency.
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.core_queues.clocks import Clocks, FixedLevel
from tailc.models.core_queues.model import CoreQueues
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload
from tailc.units import format_khz


@final
class FixedFrequency(Baseline[CoreQueues]):
    """Baseline: one frequency for all requests, by default the clock of measured demands."""

    syntax = Syntax("fixed[-FREQUENCY]")
    about = "every request at one frequency, that at which demands were counted or another"
    rank = 10

    def examples(self, policy: CoreQueues) -> tuple[str, ...]:
        lowest = policy.clocks.table.levels[0].frequency_khz
        return ("fixed", _name_of(lowest))

    def check_fit(self, policy: CoreQueues, values: NameValues) -> Unfit | None:
        khz, all_khz = values.get(Placeholder.FREQUENCY), _all_khz(policy.clocks)
        if khz is None or khz in all_khz:
            return None
        levels = ", ".join(map(format_khz, all_khz))
        return Unfit(f"the server has no frequency {format_khz(khz)}", f"levels: {levels}")

    def default_names(self, policy: CoreQueues, workload: Workload) -> tuple[str, ...]:
        clocks = policy.clocks
        return (_name_of(_all_khz(clocks)[nominal_level(clocks)]),)

    def make(self, setup: Setup[CoreQueues]) -> CoreQueues:
        clocks, khz = setup.policy.clocks, setup.values.get(Placeholder.FREQUENCY)
        level = nominal_level(clocks) if khz is None else _all_khz(clocks).index(khz)
        name = f"fixed at {format_khz(_all_khz(clocks)[level])}"
        return replace(at_level(name, clocks, level), note="")


def nominal_level(clocks: Clocks) -> int:
    """Number of the frequency level at which a baseline runs by default.

    It is the lowest frequency at or above the reference clock, or else the highest.
    """
    fast_enough = [khz >= clocks.reference_khz for khz in _all_khz(clocks)]
    return fast_enough.index(True) if any(fast_enough) else len(fast_enough) - 1


def at_level(name: str, clocks: Clocks, level: int) -> CoreQueues:
    """Make the baseline that runs every request at one frequency, whatever the queue."""
    note = format_khz(clocks.table.levels[level].frequency_khz)
    return CoreQueues(name, replace(clocks, rule=FixedLevel(level)), note=note)


def _name_of(khz: int) -> str:
    return f"fixed-{format_khz(khz).replace(' ', '')}"


def _all_khz(clocks: Clocks) -> list[int]:
    return [level.frequency_khz for level in clocks.table.levels]
