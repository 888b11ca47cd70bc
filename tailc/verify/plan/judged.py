"""From what each window brought to a verdict: the same for rigid and for malleable jobs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tailc.experiment.ruling import Ruling
from tailc.experiment.window_means import (
    FEWEST_WINDOWS,
    RULE_OF_THREE,
    MeanOf,
    change_of,
    mean_of,
    rare_of,
)
from tailc.experiment.window_quantities import Quantity, Sample, Samples
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.window import Window
from tailc.percentiles import PPM
from tailc.verify.plan.options import PlanOptions
from tailc.verify.plan.verdict import Figures, PlanVerdict

POLICY = "policy"
_SHARES = (Quantity.ADMITTED, Quantity.DONE, Quantity.VIOLATIONS, Quantity.LATE)
_RARE = (Quantity.VIOLATIONS, Quantity.LATE)


@dataclass(frozen=True, eq=False)
class Judged:
    """What the plan and each baseline did on the windows, by name; `jobs` were submitted."""

    jobs: int
    policy: Samples
    baselines: Mapping[str, Samples]


def verdict_of(
    plan: Plan, windows: Sequence[Window], judged: Judged, options: PlanOptions
) -> PlanVerdict:
    """Passes where the share of broken promises lies below the promised one with its whole
    interval, fails where it lies above; so it does where none was to be broken and one was.
    """
    told = Quantity.VIOLATIONS if plan.terms is not None else Quantity.LATE
    policy = Figures(POLICY, means_of(judged.policy), {})
    promised = plan.violations_ppm / PPM
    sample = judged.policy[told]
    ruling = _ruling(policy.means[told], promised)
    length_s = len(plan.epochs) * plan.epoch_s
    return PlanVerdict(
        is_rigid=plan.terms is not None,
        windows=len(windows),
        epochs=len(plan.epochs),
        epoch_s=plan.epoch_s,
        from_unix_s=windows[0].start_unix_s,
        until_unix_s=windows[-1].start_unix_s + length_s,
        jobs=judged.jobs,
        seed=options.seed,
        failures_ppm=options.failures_ppm,
        promised_ppm=plan.violations_ppm,
        judged=told,
        ruling=ruling,
        more_windows=_more(sample, policy.means[told], promised)
        if ruling is Ruling.UNDECIDED
        else None,
        policy=policy,
        baselines=tuple(
            Figures(name, means_of(samples), gains_of(judged.policy, samples))
            for name, samples in judged.baselines.items()
        ),
    )


def means_of(samples: Samples) -> dict[Quantity, MeanOf]:
    """Each quantity with its interval; shares lie from 0 to 1, and only a profit is negative."""
    return {
        one: rare_of(sample) if one in _RARE else _within(one, mean_of(sample))
        for one, sample in samples.items()
    }


def gains_of(new: Samples, old: Samples) -> dict[Quantity, MeanOf]:
    """By how much each quantity is more in the new one, within each window."""
    return {one: change_of(sample, old[one]) for one, sample in new.items()}


def _within(quantity: Quantity, found: MeanOf) -> MeanOf:
    """An interval without values that the quantity cannot have."""
    if quantity is Quantity.PROFIT or found.low is None or found.high is None:
        return found
    most = 1.0 if quantity in _SHARES else found.high
    return MeanOf(found.value, max(found.low, 0.0), min(found.high, most))


def _ruling(broken: MeanOf, promised: float) -> Ruling:
    if not promised and broken.value:
        return Ruling.FAIL
    if broken.low is None or broken.high is None:
        return Ruling.UNDECIDED
    if broken.high <= promised:
        return Ruling.PASS
    return Ruling.FAIL if broken.low > promised else Ruling.UNDECIDED


def _more(sample: Sample, broken: MeanOf, promised: float) -> int | None:
    """Windows until the interval, which shrinks with their root, leaves the promise out.

    None where it is not known, or no number would do: there was no job to judge, the estimate is on
    the promise, or none at all may be broken.
    """
    count, total = len(sample.parts), float(sample.wholes.sum())
    fewest = max(FEWEST_WINDOWS - count, 1)
    if not promised or not total:
        return None
    if broken.low is None or broken.high is None:
        return fewest
    if not broken.value:
        wanted = math.ceil(RULE_OF_THREE / promised / (total / count))
        return max(wanted - count, fewest)
    apart = abs(broken.value - promised)
    if not apart:
        return None
    half = max(broken.high - broken.value, broken.value - broken.low)
    return max(math.ceil(count * (half / apart) ** 2) - count, fewest)
