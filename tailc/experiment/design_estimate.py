"""What a compile says of its own table: an estimate on design data, which is no verdict."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.experiment.by_hand import is_for_cost
from tailc.experiment.comparison import compared
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
    """The policy under the arrivals that it is for, on the requests that it was compiled from.

    `shared`: what requests compete for, as `threads` count it.
    """

    slos: tuple[Slo, ...]
    points: tuple[Point, ...]
    shared: str


def design_estimate(
    policy: Policy, design: DemandProfile, options: VerifyOptions
) -> DesignEstimate:
    """Raises TailcError where the policy states no SLO or no rate, or lacks a degree or a class."""
    check(policy, design, options)
    subject = subject_of(policy, design)
    with ThreadPoolExecutor(thread_count(options.threads)) as workers:
        points = compared(
            subject,
            policy.slos,
            design,
            arrivals_of(policy),
            options,
            workers,
            by_cost=is_for_cost(policy),
        )
    return DesignEstimate(policy.slos, points, subject.shared)
