"""The pass that adds an overload rule: when to refuse requests, or end them early."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.experiment.overload_objective import OverloadObjective
from tailc.pipeline.passes.step import DesignSample, PassResult
from tailc.tuning.overload.evidence import relieved_policy
from tailc.tuning.overload.search import add_overload_rule


@dataclass(frozen=True)
class OverloadControl:
    """The pass that adds the overload rule with the least lost work."""

    aim: OverloadObjective

    def apply(self, policy: Policy, sample: DesignSample) -> PassResult:
        """Find the overload rule with the least lost work, and add it to the policy."""
        table, design = policy.ladders[0], sample.design
        relief = add_overload_rule(self.aim, table, design, sample.threads, sample.progress)
        return PassResult(relieved_policy(policy, relief), (relief,))
