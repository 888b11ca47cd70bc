"""Fixed: a request that did not wait may share its core for a fixed time (Yang et al., 2016, 3)."""

from __future__ import annotations

from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.smt.model import Smt
from tailc.models.smt.plans import with_budget
from tailc.models.workload import Workload
from tailc.problems.borrowing import Borrowing


@final
class FixedBudget(Baseline[Smt]):
    """Baseline: each request shares its core with batch work for a fixed time.

    By default the time is the difference between the SLO and the latency without batch work.
    """

    syntax = Syntax("fixed[-BUDGET]")
    about = "a request that did not wait has the budget, once"
    rank = 30

    def examples(self, policy: Smt) -> tuple[str, ...]:
        return ("fixed", "fixed-47ms")

    def check_fit(self, policy: Smt, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: Smt, workload: Workload) -> tuple[str, ...]:
        return ("fixed",)

    def make(self, setup: Setup[Smt]) -> Smt:
        return with_budget(Borrowing.FIXED, setup)
