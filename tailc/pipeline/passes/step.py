"""The protocol of a pass, which changes a policy for requests after its table is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from tailc.artifact.envelope import Policy
from tailc.errors import Finding
from tailc.progress import Progress
from tailc.traces.profile import DemandProfile

if TYPE_CHECKING:
    from tailc.pipeline.auto.choice import AutoResult
    from tailc.pipeline.controller import TunedController
    from tailc.tuning.overload.search import Relief
    from tailc.tuning.robust.robustness import Robustness, RobustTables
    from tailc.tuning.tuned_table import AnyTunedTable

# Results of passes, in addition to the policy.
Addition: TypeAlias = (
    "TunedController | AnyTunedTable | AutoResult | Relief | Robustness | RobustTables"
)


@dataclass(frozen=True)
class DesignSample:
    """The requests that a policy is compiled from, and how the passes of a compile replay them."""

    design: DemandProfile
    threads: int
    progress: Progress


@dataclass(frozen=True)
class PassResult:
    """A policy after a pass, with the pass's results and findings."""

    policy: Policy
    additions: tuple[Addition, ...] = ()
    findings: tuple[Finding, ...] = ()


class Pass(Protocol):
    """A pass of the compiler: one change of a policy after its table is computed."""

    def apply(self, policy: Policy, sample: DesignSample, /) -> PassResult:
        """Change the policy; also return the results and the findings of this change."""
        ...
