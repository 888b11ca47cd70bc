"""The arrivals that a policy is judged under where none are named, and whether it was tuned so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Severity
from tailc.experiment.tuned_arrivals import RECORDED, arrivals_text, pattern_told
from tailc.models.arrivals import Arrivals, Poisson, Recorded


def arrivals_of(policy: Policy) -> tuple[Arrivals, ...]:
    """At each of the policy's rates, ascending, those that its table was tuned for.

    Poisson where it was tuned for none, or for a recording, which the policy does not have.
    """
    rates_mrps = sorted(set(policy.rates_mrps))
    pattern = pattern_told(dict(policy.evidence.settings))
    if pattern is None:
        return tuple(Poisson(rate_mrps) for rate_mrps in rates_mrps)
    return tuple(pattern.at(rate_mrps) for rate_mrps in rates_mrps)


def not_as_recorded(policy: Policy, arrivals: Sequence[Arrivals] | None) -> Iterator[Finding]:
    """A warning where a table was tuned on a recording, and none is among these arrivals.

    None stands for those that `arrivals_of` returns.
    """
    settings = dict(policy.evidence.settings)
    if RECORDED not in settings or any(isinstance(one, Recorded) for one in arrivals or ()):
        return
    judged = "Poisson arrivals" if arrivals is None else "others"
    message = f"the table was tuned for {arrivals_text(settings)}, and is judged under {judged}"
    hint = "name the column of the trace that has them: --arrivals recorded:COLUMN"
    yield Finding(Code.NOT_AS_RECORDED, message, None, hint, Severity.WARNING)
