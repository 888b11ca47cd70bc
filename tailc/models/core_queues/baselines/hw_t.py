"""HW-T baseline: hardware sets all clocks every 100 us, blind to requests (Bartolini, 2015, 3.9.2).

It maximises instructions per second within the power limit of the chip. See
`tailc.models.core_queues.hardware` for the choice of levels.
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_queues.clocks import Clocks, Hardware, HardwareObjective
from tailc.models.core_queues.hardware import MOST_CORES
from tailc.models.core_queues.model import CoreQueues
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload


@final
class MostWork(Baseline[CoreQueues]):
    """Baseline for cores on a chip: hardware maximises instructions per second."""

    syntax = Syntax("hw-t")
    about = "every 100 us, the frequencies of the chip with the most work per second"
    rank = 50

    def examples(self, policy: CoreQueues) -> tuple[str, ...]:
        return ("hw-t",)

    def check_fit(self, policy: CoreQueues, values: NameValues) -> Unfit | None:
        return no_hardware(policy.clocks)

    def default_names(self, policy: CoreQueues, workload: Workload) -> tuple[str, ...]:
        return ("hw-t",)

    def make(self, setup: Setup[CoreQueues]) -> CoreQueues:
        return hw_t(setup.policy.clocks)


def hw_t(clocks: Clocks) -> CoreQueues:
    """Make the baseline whose clocks are set by hardware for the most instructions per second.

    Only the rule for the clocks differs from `clocks`.
    """
    return CoreQueues("HW-T", replace(clocks, rule=Hardware(HardwareObjective.WORK)))


def no_hardware(clocks: Clocks) -> Unfit | None:
    """The reason why hardware cannot set the clocks of these cores, or None if it can."""
    if clocks.chip is None:
        return Unfit(
            "a policy does not state the chip of its cores and their batch work",
            "add `--chip SPEC`, the spec that the policy was compiled from",
        )
    if any(program.ipc_milli is None for program in clocks.chip.programs):
        return Unfit(
            "the spec of the chip lacks instructions per cycle",
            "add `server.ipc` for requests, and measure batch work by `batch.ipc`",
        )
    if clocks.table.cores > MOST_CORES:
        return Unfit(f"its frequencies are computed for {MOST_CORES} cores at most")
    return None
