"""Estimate a policy's tails on its own design trace; this is not a verdict."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.experiment.by_hand import is_for_cost
from tailc.experiment.comparison import compare
from tailc.experiment.compatibility import check
from tailc.experiment.options import VerifyOptions
from tailc.experiment.point import Point
from tailc.experiment.policy_arrivals import arrivals_of
from tailc.models.subjects import subject_of
from tailc.specs.slo import Slo
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile


@dataclass(frozen=True)
class DesignEstimate:
    """Estimated tails of a policy on the requests and arrivals that it was compiled from.

    slos: limits of the policy. points: results at each rate. shared: name of the resource that
    requests compete for.
    """

    slos: tuple[Slo, ...]
    points: tuple[Point, ...]
    shared: str


def design_estimate(
    policy: Policy, design: DemandProfile, options: VerifyOptions
) -> DesignEstimate:
    """Estimate a policy's percentiles for its SLOs on its design trace.

    Raises TailcError if the policy states no SLO or no rate, or lacks a degree or a class.
    """
    check(policy, design, options)
    subject = subject_of(policy, design)
    with ThreadPoolExecutor(thread_count(options.threads)) as workers:
        points = compare(
            subject,
            policy.slos,
            design,
            arrivals_of(policy),
            options,
            workers,
            by_cost=is_for_cost(policy),
        )
    return DesignEstimate(policy.slos, points, subject.shared_resource)
