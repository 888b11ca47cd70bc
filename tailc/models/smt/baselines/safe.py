"""Safe: all requests of a core's busy period have one common budget of delay by batch work."""

from __future__ import annotations

from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.smt.model import Smt
from tailc.models.smt.plans import with_budget
from tailc.models.workload import Workload
from tailc.problems.borrowing import Borrowing


@final
class Safe(Baseline[Smt]):
    """Baseline: all requests of a core's busy period share it with batch work within one budget.

    By default the budget is the difference between the SLO and the latency without batch work.
    """

    syntax = Syntax("safe[-BUDGET]")
    about = "all requests of a busy period of a core have the budget together"
    rank = 60

    def examples(self, policy: Smt) -> tuple[str, ...]:
        return ("safe",)

    def check_fit(self, policy: Smt, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: Smt, workload: Workload) -> tuple[str, ...]:
        return ("safe",)

    def make(self, setup: Setup[Smt]) -> Smt:
        return with_budget(Borrowing.SAFE, setup)
