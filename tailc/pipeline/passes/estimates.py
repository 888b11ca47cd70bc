"""The pass that replays a policy before it is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.forms.ladder.leanest import leanest_alone
from tailc.models.arrivals import Poisson
from tailc.models.ladder_model import LadderModel
from tailc.models.subjects import on_ladders, subject_of
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
    """The pass that estimates a policy's percentiles at its rates, also for settings by hand.

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
        """Estimate the percentiles of the SLOs by replay, and add them to the policy's evidence.

        Raises TailcError if the policy misses an SLO, unless that is allowed.
        """
        policy, more = with_estimates(
            policy, self.requests, self.effort, sample.threads, sample.progress
        )
        limits = numbered_slos(policy.slos, self.requests.judging)
        subjects = [subject_of(policy, self.requests.judging), *_leanest(policy)]

        def keeps(rate_mrps: int) -> bool:
            arrivals = [(rate_mrps, Poisson(rate_mrps))]
            return any(
                predict_tails(one, limits, self.requests.judging, arrivals, sample.threads).holds
                for one in subjects
            )

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


def _leanest(policy: Policy) -> Iterator[LadderModel]:
    """The leanest setting by hand, which may meet an SLO at a higher rate than the policy."""
    if len(policy.ladders) == 1 and (table := leanest_alone(policy.ladders[0])) is not None:
        yield on_ladders(policy.name, (table,))
