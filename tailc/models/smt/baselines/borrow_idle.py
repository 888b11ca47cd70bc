"""Borrow idle: batch work leaves its lane when a request starts (Yang et al., 2016, section 3)."""

from __future__ import annotations

from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.smt.model import Smt
from tailc.models.smt.plans import at_age
from tailc.models.workload import Workload


@final
class BorrowIdle(Baseline[Smt]):
    """Baseline: batch work runs only on cores that have no request."""

    syntax = Syntax("borrow-idle")
    about = "batch work runs while its core has no request"
    rank = 20

    def examples(self, policy: Smt) -> tuple[str, ...]:
        return ("borrow-idle",)

    def check_fit(self, policy: Smt, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: Smt, workload: Workload) -> tuple[str, ...]:
        return ("borrow-idle",)

    def make(self, setup: Setup[Smt]) -> Smt:
        return at_age("borrow-idle", setup.policy, 0)
