"""Reactive: adjust one threshold at a time by a simple rule (Haque, 2016, section 5.3.4)."""

from __future__ import annotations

from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.same_cores import same_cores
from tailc.models.execution_model import BaselineSearch
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.steering import ReactiveRule
from tailc.models.workload import Workload


@final
class SimpleRule(Baseline[CoreTypes]):
    """Baseline that changes one climb age after another by a simple rule on the measured tail.

    With the flag `+start`, requests are measured from the first arrival on, also while the climb
    ages converge.
    """

    syntax = Syntax("reactive[+start]")
    about = "one threshold after another, by a simple rule"
    rank = 50

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return ("reactive", "reactive+start")

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ()

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        return reactive(setup.policy, setup.search, from_start=setup.values.has_flag)


def reactive(policy: CoreTypes, search: BaselineSearch, *, from_start: bool) -> CoreTypes:
    """Make the baseline whose climb ages follow the measured tail.

    The ages begin at those of the policy's first row. from_start: whether requests are measured
    while the ages converge.
    """
    window = policy.window
    law = ReactiveRule(search.percentile_ppm, search.target_us, window.epoch, window.requests)
    first = policy.ladders[0]
    ladder = same_cores(first, first.rows[0].climbs)
    name = "Reactive" + " from the start" * from_start
    return CoreTypes(name, (ladder,), steering=law, is_measured_from_start=from_start)
