"""SEQ: run every request on the first rung, from its arrival.

Source: Haque et al., ASPLOS 2015, section 6.
"""

from __future__ import annotations

from typing import final

from tailc.forms.ladder.table import Ladder
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.same_server import same_server, stays_on
from tailc.models.workload import Workload


@final
class Sequential(Baseline[SharedCores]):
    """Baseline: every request stays on the first rung. It is always replayed by default."""

    syntax = Syntax("seq")
    about = "every request on the first rung"
    rank = 10

    def examples(self, policy: SharedCores) -> tuple[str, ...]:
        return ("seq",)

    def check_fit(self, policy: SharedCores, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: SharedCores, workload: Workload) -> tuple[str, ...]:
        return ("seq",)

    def make(self, setup: Setup[SharedCores]) -> SharedCores:
        return SharedCores("SEQ", (sequential(setup.policy.ladder),))


def sequential(ladder: Ladder) -> Ladder:
    """Make a ladder on the same server without climbs, waiting rules and boosting."""
    return same_server(ladder, (stays_on(0),))
