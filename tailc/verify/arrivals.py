"""The arrivals that a policy is judged under where none are named."""

from __future__ import annotations

from tailc.artifact.envelope import Policy
from tailc.replay.arrivals import Arrivals, Poisson
from tailc.replay.tuned_for import pattern_told


def arrivals_of(policy: Policy) -> tuple[Arrivals, ...]:
    """At each of the policy's rates, ascending, those that its table was tuned for.

    Poisson where it was tuned for none, or for a recording, which the policy does not have.
    """
    rates_mrps = sorted(set(policy.rates_mrps))
    pattern = pattern_told(dict(policy.evidence.settings))
    if pattern is None:
        return tuple(Poisson(rate_mrps) for rate_mrps in rates_mrps)
    return tuple(pattern.at(rate_mrps) for rate_mrps in rates_mrps)
