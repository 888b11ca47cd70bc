"""Always shared: every request shares its core with batch work all the time."""

from __future__ import annotations

from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.smt.model import Smt
from tailc.models.smt.plans import at_age
from tailc.models.workload import Workload


@final
class AlwaysShared(Baseline[Smt]):
    """Baseline: requests share their core with batch work all the time."""

    syntax = Syntax("always-shared")
    about = "batch work runs all the time"
    rank = 70

    def examples(self, policy: Smt) -> tuple[str, ...]:
        return ("always-shared",)

    def check_fit(self, policy: Smt, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: Smt, workload: Workload) -> tuple[str, ...]:
        return ("always-shared",)

    def make(self, setup: Setup[Smt]) -> Smt:
        return at_age("always-shared", setup.policy, None)
