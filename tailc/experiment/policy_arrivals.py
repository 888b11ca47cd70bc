"""The default arrivals of a policy's replays, and a check that it was tuned for such arrivals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Severity
from tailc.experiment.tuned_arrivals import RECORDED, arrivals_text, pattern_from_settings
from tailc.models.arrivals import Arrivals, Poisson, RecordedArrivals


def arrivals_of(policy: Policy) -> tuple[Arrivals, ...]:
    """The arrivals that the policy's table was tuned for, at each of its rates, ascending.

    Poisson if it was tuned for none, or for a recording, which the policy does not contain.
    """
    rates_mrps = sorted(set(policy.rates_mrps))
    pattern = pattern_from_settings(dict(policy.evidence.settings))
    if pattern is None:
        return tuple(Poisson(rate_mrps) for rate_mrps in rates_mrps)
    return tuple(pattern.with_rate(rate_mrps) for rate_mrps in rates_mrps)


def recording_findings(policy: Policy, arrivals: Sequence[Arrivals] | None) -> Iterator[Finding]:
    """Warn if a table was tuned on recorded arrivals, but all of `arrivals` are generated.

    arrivals: the arrival processes of the replays; None: those that `arrivals_of` returns.
    """
    settings = dict(policy.evidence.settings)
    if RECORDED not in settings or any(isinstance(one, RecordedArrivals) for one in arrivals or ()):
        return
    judged = "Poisson arrivals" if arrivals is None else "others"
    message = f"the table was tuned for {arrivals_text(settings)}, but is replayed with {judged}"
    hint = "name the column of the trace with the arrival times: `--arrivals recorded:COLUMN`"
    yield Finding(Code.NOT_AS_RECORDED, message, None, hint, Severity.WARNING)
