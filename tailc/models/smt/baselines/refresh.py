"""Refresh: a request gets a budget for sharing its core if no request waits behind it at its start.

Source: Yang et al., USENIX ATC 2016, section 3.
"""

from __future__ import annotations

from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.smt.model import Smt
from tailc.models.smt.plans import with_budget
from tailc.models.workload import Workload
from tailc.problems.borrowing import Borrowing


@final
class Refresh(Baseline[Smt]):
    """Baseline: a request shares its core with batch work within a budget of time.

    A request has the budget only if no request waits behind it as it starts. By default the budget
    is the difference between the SLO and the latency without batch work.
    """

    syntax = Syntax("refresh[-BUDGET]")
    about = "a request that leaves none waiting as it starts has the budget"
    rank = 40

    def examples(self, policy: Smt) -> tuple[str, ...]:
        return ("refresh",)

    def check_fit(self, policy: Smt, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: Smt, workload: Workload) -> tuple[str, ...]:
        return ("refresh",)

    def make(self, setup: Setup[Smt]) -> Smt:
        return with_budget(Borrowing.REFRESH, setup)
