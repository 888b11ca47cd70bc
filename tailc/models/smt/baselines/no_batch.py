"""No batch: requests on cores without batch work, which sleep when idle."""

from __future__ import annotations

from typing import final

from tailc.forms.ladder.lanes import Lanes, Waking, lane_ladder, plan_at_any_load
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.smt.model import Smt
from tailc.models.workload import Workload


@final
class NoBatch(Baseline[Smt]):
    """Baseline: no batch work runs on the server.

    A default if idle cores sleep, because waking delays requests.
    """

    syntax = Syntax("no-batch")
    about = "requests on cores without batch work"
    rank = 10

    def examples(self, policy: Smt) -> tuple[str, ...]:
        return ("no-batch",)

    def check_fit(self, policy: Smt, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: Smt, workload: Workload) -> tuple[str, ...]:
        return ("no-batch",) if policy.waking.core_ns > 0 else ()

    def make(self, setup: Setup[Smt]) -> Smt:
        return no_batch(setup.policy.lanes, setup.policy.waking)


def no_batch(lanes: Lanes, waking: Waking) -> Smt:
    """The policy without batch work: each request is alone on its core, which must wake for it."""
    ladder = lane_ladder(lanes, plan_at_any_load(0, lanes.cores))
    return Smt("no-batch", (ladder,), waking=waking, has_batch=False)
