"""Dynamic: as `refresh`, but the budget is one of lost time (Yang et al., 2016, section 3)."""

from __future__ import annotations

from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.smt.model import Smt
from tailc.models.smt.plans import with_budget
from tailc.models.workload import Workload
from tailc.problems.borrowing import Borrowing


@final
class Dynamic(Baseline[Smt]):
    """Baseline: a request shares its core with batch work within a budget of lost time.

    The budget is charged with the time that batch work costs the request, not the time of sharing.
    A request has it only if no request waits behind it as it starts. By default the budget is the
    difference between the SLO and the latency without batch work.
    """

    syntax = Syntax("dynamic[-BUDGET]")
    about = "as refresh, charged by the harm done in place of the time"
    rank = 50

    def examples(self, policy: Smt) -> tuple[str, ...]:
        return ("dynamic",)

    def check_fit(self, policy: Smt, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: Smt, workload: Workload) -> tuple[str, ...]:
        return ("dynamic",)

    def make(self, setup: Setup[Smt]) -> Smt:
        return with_budget(Borrowing.DYNAMIC, setup)
