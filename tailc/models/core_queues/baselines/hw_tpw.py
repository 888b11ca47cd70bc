"""HW-TPW: hardware sets all clocks every 100 us, blind to requests (Bartolini, 2015, 3.9.2).

It maximises instructions per second per watt of the chip. See `tailc.models.core_queues.hardware`
for the choice of levels.
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_queues.baselines.hw_t import no_hardware
from tailc.models.core_queues.clocks import Clocks, Hardware, HardwareObjective
from tailc.models.core_queues.model import CoreQueues
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload


@final
class MostWorkByJoule(Baseline[CoreQueues]):
    """Baseline for cores on a chip: hardware maximises instructions per joule."""

    syntax = Syntax("hw-tpw")
    about = "every 100 us, the frequencies of the chip with the most work per second by joule"
    rank = 60

    def examples(self, policy: CoreQueues) -> tuple[str, ...]:
        return ("hw-tpw",)

    def check_fit(self, policy: CoreQueues, values: NameValues) -> Unfit | None:
        return no_hardware(policy.clocks)

    def default_names(self, policy: CoreQueues, workload: Workload) -> tuple[str, ...]:
        return ("hw-tpw",)

    def make(self, setup: Setup[CoreQueues]) -> CoreQueues:
        return hw_tpw(setup.policy.clocks)


def hw_tpw(clocks: Clocks) -> CoreQueues:
    """Make the baseline whose clocks are set by hardware for the most instructions per joule.

    Only the rule for the clocks differs from `clocks`.
    """
    return CoreQueues("HW-TPW", replace(clocks, rule=Hardware(HardwareObjective.WORK_PER_JOULE)))
