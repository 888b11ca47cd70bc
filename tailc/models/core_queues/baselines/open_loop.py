"""Baseline `open-loop`: the policy's tail table with a fixed latency bound, without the controller.

Source: Bartolini, 2015, figure 3.6.
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_queues.model import CoreQueues
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload


@final
class WithoutController(Baseline[CoreQueues]):
    """Baseline for policies with a controller: the same tail table with a fixed latency bound."""

    syntax = Syntax("open-loop")
    about = "the policy without its controller"
    rank = 40

    def examples(self, policy: CoreQueues) -> tuple[str, ...]:
        return ("open-loop",)

    def check_fit(self, policy: CoreQueues, values: NameValues) -> Unfit | None:
        return Unfit("the policy has no controller") if policy.steering is None else None

    def default_names(self, policy: CoreQueues, workload: Workload) -> tuple[str, ...]:
        return ("open-loop",)

    def make(self, setup: Setup[CoreQueues]) -> CoreQueues:
        return open_loop(setup.policy)


def open_loop(policy: CoreQueues) -> CoreQueues:
    """Make the baseline with the policy's tail table but without its controller."""
    return replace(policy, name="open loop", steering=None, note="")
