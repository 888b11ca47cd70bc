"""Evidence of a policy about its rule for overload."""

from __future__ import annotations

from dataclasses import replace

from tailc.artifact.envelope import Policy
from tailc.tuning.overload.losses import RateLoss
from tailc.tuning.overload.search import Relief


def relieved_policy(policy: Policy, found: Relief) -> Policy:
    """Add the overload rule to a policy, with the rates of overload and the loss at each rate."""
    settings = dict(policy.evidence.settings) | overload_settings(found)
    evidence = replace(policy.evidence, settings=tuple(sorted(settings.items())))
    rates_mrps = (*policy.rates_mrps, *found.aim.rates_mrps)
    forms = (found.table, *policy.forms[1:])
    return replace(policy, forms=forms, rates_mrps=rates_mrps, evidence=evidence)


def overload_settings(found: Relief) -> dict[str, int]:
    """Evidence of overload control: the latency percentile and the lost work at each rate.

    The rates of overload come first, then the normal rates.
    """
    settings = {"overload_judged_on": found.judged_on}
    overload = len(found.aim.rates_mrps)
    for number, one in enumerate(found.rates[:overload], 1):
        settings |= _settings(f"overload_{number}", one)
    for number, one in enumerate(found.rates[overload:], 1):
        settings |= _settings(f"overload_normal_{number}", one)
    return settings


def _settings(name: str, one: RateLoss) -> dict[str, int]:
    loss = one.loss
    by_name = {
        "mrps": one.rate_mrps,
        "tail_us": one.tail_us,
        "tail_high_us": one.high_us,
        "refused_ppm": loss.refused_ppm,
        "cut_ppm": loss.cut_ppm,
        "degraded_ppm": loss.degraded_ppm,
        "lost_ppm": loss.work_ppm,
        "lost_low_ppm": loss.low_ppm,
        "lost_high_ppm": loss.high_ppm,
    }
    return {f"{name}_{key}": value for key, value in by_name.items() if value is not None}
