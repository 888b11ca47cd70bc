"""HW-T: clocks that hardware sets every 100 us, blind to requests (Bartolini, 2015, 3.9.2).

It makes all instructions a second as many as the chip's limit allows.
How levels are chosen stands in `tailc.models.core_queues.hardware`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

from tailc.models.baseline_syntax import Given, Syntax
from tailc.models.core_queues.clocks import Aim, Clocks, Hardware
from tailc.models.core_queues.hardware import MOST_CORES
from tailc.models.core_queues.model import CoreQueues
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload


@final
class MostWork(Baseline[CoreQueues]):
    """On a chip."""

    syntax = Syntax("hw-t")
    about = "every 100 us the frequencies of the chip with which most work is done"
    rank = 50

    def examples(self, policy: CoreQueues) -> tuple[str, ...]:
        return ("hw-t",)

    def unfit(self, policy: CoreQueues, given: Given) -> Unfit | None:
        return no_hardware(policy.clocks)

    def default_names(self, policy: CoreQueues, workload: Workload) -> tuple[str, ...]:
        return ("hw-t",)

    def make(self, setup: Setup[CoreQueues]) -> CoreQueues:
        return hw_t(setup.policy.clocks)


def hw_t(clocks: Clocks) -> CoreQueues:
    """The chip's clocks of most work."""
    return CoreQueues("HW-T", replace(clocks, rule=Hardware(Aim.WORK)))


def no_hardware(clocks: Clocks) -> Unfit | None:
    """Why no hardware can set these clocks; None: it can."""
    if clocks.chip is None:
        return Unfit(
            "a policy does not state what its cores share and what else they run",
            "add `--chip SPEC`, the spec that the policy was compiled from",
        )
    if any(program.ipc_milli is None for program in clocks.chip.programs):
        return Unfit(
            "the spec of the chip lacks instructions per cycle",
            "add `server.ipc` for requests, and measure batch work by `batch.ipc`",
        )
    if clocks.table.cores > MOST_CORES:
        return Unfit(f"it is computed for {MOST_CORES} cores at most")
    return None
