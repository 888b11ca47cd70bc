"""What a pass is: something that is done to a policy for requests after its table is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from tailc.artifact.envelope import Policy
from tailc.errors import Finding
from tailc.progress import Progress
from tailc.traces.profile import DemandProfile

if TYPE_CHECKING:
    from tailc.pipeline.auto.choice import Chosen
    from tailc.pipeline.controller import Tuned
    from tailc.tuning.overload.search import Relief
    from tailc.tuning.robust.robustness import Robustness, RobustTables
    from tailc.tuning.tuned_table import AnyTunedTable

# What a pass finds in addition to the policy.
Addition: TypeAlias = "Tuned | AnyTunedTable | Chosen | Relief | Robustness | RobustTables"


@dataclass(frozen=True)
class Sample:
    """The requests that a policy is compiled from, and how to replay them."""

    design: DemandProfile
    threads: int
    progress: Progress


@dataclass(frozen=True)
class Step:
    """A policy after a pass, and what the pass found."""

    policy: Policy
    additions: tuple[Addition, ...] = ()
    findings: tuple[Finding, ...] = ()


class Pass(Protocol):
    """One thing that is done to a policy."""

    def applied(self, policy: Policy, sample: Sample, /) -> Step:
        """The policy with it."""
        ...
