"""Judge a policy that is a plan on held-out days."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tailc.artifact.envelope import Policy
from tailc.experiment.held_out_days import HeldOutDays, check_held_out, plan_of, windows_of_compile
from tailc.experiment.job_windows import WindowSamples, replay_windows, replayable
from tailc.experiment.plan_options import PlanOptions
from tailc.experiment.ruling import Ruling
from tailc.experiment.window_means import (
    FEWEST_WINDOWS,
    RULE_OF_THREE,
    WindowMean,
    gains_of,
    means_of,
)
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.job_model import JobModel
from tailc.models.datacentre.quantities import QuantitySample
from tailc.percentiles import PPM
from tailc.verify.plan.verdict import PlanMeans, PlanVerdict, Spans

POLICY = "policy"


@dataclass(frozen=True, eq=False)
class JudgedPlan:
    """The verdict on a plan, with the plan's name and the days that it was judged on.

    left_out: number of windows that were not judged. own_windows: number of windows that the plan
    was compiled from.
    """

    policy_name: str
    generation: int
    held_out_digest: str
    left_out: int
    own_windows: int
    verdict: PlanVerdict


def verify_plan(
    policy: Policy, held_out: HeldOutDays, options: PlanOptions | None = None
) -> JudgedPlan:
    """Judge the plan's rule or prices on each window, compared with the baselines.

    Deterministic in the policy, the days and the options. Raises TailcError if the plan was made
    from a window, if it cannot be replayed, if servers of malleable jobs should fail, and for names
    that are not baselines.
    """
    options = options or PlanOptions()
    model = replayable(policy, options)
    if not options.allow_compile_trace:
        check_held_out((policy,), held_out)
    own = len(windows_of_compile(policy, held_out))
    plan, samples = plan_of(policy), replay_windows(policy, held_out, options)
    return JudgedPlan(
        policy_name=policy.name,
        generation=policy.generation,
        held_out_digest=held_out.digest,
        left_out=held_out.left_out,
        own_windows=own,
        verdict=verdict_of(
            plan, model, Spans.from_windows(plan, held_out.windows), samples, options
        ),
    )


def verdict_of(
    plan: Plan, model: JobModel[Any], spans: Spans, samples: WindowSamples, options: PlanOptions
) -> PlanVerdict:
    """Compute the verdict on a plan from its replays: the ruling on broken promises, and all means.

    samples: quantities of each window, under the plan and under the baselines.
    """
    means = means_of(samples.policy)
    sample, broken = samples.policy[model.judged], means[model.judged]
    promised = plan.violations_ppm / PPM
    ruling = ruling_of(broken, promised)
    more = more_windows(sample, broken, promised) if ruling is Ruling.UNDECIDED else None
    return PlanVerdict(
        words=model.words,
        spans=spans,
        jobs=samples.jobs,
        seed=options.seed,
        failures_ppm=options.failures_ppm,
        promised_ppm=plan.violations_ppm,
        judged=model.judged,
        ruling=ruling,
        more_windows=more,
        policy=PlanMeans(POLICY, means, {}),
        baselines=tuple(
            PlanMeans(name, means_of(baseline), gains_of(samples.policy, baseline))
            for name, baseline in samples.baselines.items()
        ),
    )


def ruling_of(broken: WindowMean, promised: float) -> Ruling:
    """Rule on the measured share of jobs with a broken promise against the promised share.

    Pass if the whole interval is below the promised share. Fail if it is above, or if no promise
    may be broken and one was. Otherwise undecided.
    """
    if not promised and broken.value:
        return Ruling.FAIL
    if broken.low is None or broken.high is None:
        return Ruling.UNDECIDED
    if broken.high <= promised:
        return Ruling.PASS
    return Ruling.FAIL if broken.low > promised else Ruling.UNDECIDED


def more_windows(sample: QuantitySample, broken: WindowMean, promised: float) -> int | None:
    """Estimate how many more windows would decide an undecided ruling.

    None if unknown or if no number would do: there was no job to judge, the estimate equals the
    promised share, or no promise may be broken.
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
