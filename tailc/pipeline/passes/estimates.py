"""The pass that replays a policy before it is written."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.models.arrivals import Poisson
from tailc.models.subjects import subject_of
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.holdback import Holdback
from tailc.pipeline.compilation import Judging
from tailc.pipeline.estimate_findings import check_estimates
from tailc.pipeline.judging import with_estimates
from tailc.pipeline.objectives import numbered_slos, predict_tails
from tailc.pipeline.passes.step import DesignSample, PassResult
from tailc.specs.load import LoadedSpec


@dataclass(frozen=True)
class EstimatesPass:
    """The pass that estimates a policy at its rates, and compares it with settings by hand.

    is_auto: whether the method `auto` chose the policy. unattainable: numbers of the SLOs that are
    missed even without waiting.
    """

    requests: Holdback
    effort: Effort
    loaded: LoadedSpec
    judging: Judging
    is_auto: bool
    unattainable: frozenset[int]

    def apply(self, policy: Policy, sample: DesignSample) -> PassResult:
        """Add estimates to the policy's evidence.

        Raises TailcError if it misses an SLO, unless that is allowed.
        """
        policy, more = with_estimates(
            policy, self.requests, self.effort, sample.threads, sample.progress
        )
        limits = numbered_slos(policy.slos, self.requests.judging)
        subject = subject_of(policy, self.requests.judging)

        def keeps(rate_mrps: int) -> bool:
            arrivals = [(rate_mrps, Poisson(rate_mrps))]
            return predict_tails(
                subject, limits, self.requests.judging, arrivals, sample.threads
            ).holds

        findings = check_estimates(
            policy,
            more,
            self.loaded,
            keeps,
            allows_misses=self.judging.allows_misses,
            is_auto=self.is_auto,
            unattainable=self.unattainable,
        )
        return PassResult(policy, findings=findings)
