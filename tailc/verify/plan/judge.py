"""Judge a policy that is a plan on held-out days."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.experiment.held_out_days import HeldOutDays, check_held_out, plan_of, windows_of_compile
from tailc.experiment.window_quantities import Samples
from tailc.forms.plan.plan import Plan
from tailc.verify.plan.malleable import cluster_of, malleable_samples, verify_malleable
from tailc.verify.plan.options import PlanOptions
from tailc.verify.plan.rigid import rigid_samples, site_of, verify_rigid
from tailc.verify.plan.verdict import PlanVerdict


@dataclass(frozen=True, eq=False)
class JudgedPlan:
    """The verdict, of which policy and on which days.

    left_out: windows that were not judged on; own_windows: it was made from so many.
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
    """The plan's prices on each window, beside the baselines.

    Deterministic in the policy, the days and the options. Raises TailcError where the plan was made
    from a window, for one that no replay is of, and where servers of malleable jobs shall fail.
    """
    options = options or PlanOptions()
    plan = replayable(policy)
    if not options.allow_compile_trace:
        check_held_out((policy,), held_out)
    if plan.terms is not None:
        verdict = verify_rigid(plan, held_out.windows, options)
    else:
        if options.failures_ppm:
            message = f"`{policy.name}` is of malleable jobs, whose servers do not fail in a replay"
            raise TailcError(Finding(Code.USAGE, message, help="leave out `--failures`"))
        assert held_out.curves is not None
        verdict = verify_malleable(plan, held_out.windows, held_out.curves, options)
    own = len(windows_of_compile(policy, held_out))
    return JudgedPlan(
        policy_name=policy.name,
        generation=policy.generation,
        held_out_digest=held_out.digest,
        left_out=held_out.left_out,
        own_windows=own,
        verdict=verdict,
    )


def replayable(policy: Policy) -> Plan:
    """The policy's plan; TailcError where it has none, or where its servers are not alike."""
    plan = plan_of(policy)
    try:
        if plan.terms is not None:
            site_of(plan)
        else:
            cluster_of(plan)
    except ValueError as fault:
        message = f"the plan of `{policy.name}` cannot be replayed: {fault}"
        hint = "judge one of racks that are alike, or of malleable jobs on one pool"
        raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint)) from None
    return plan


def samples_of(plan: Plan, held_out: HeldOutDays, options: PlanOptions) -> Samples:
    """What the plan's prices do on each window."""
    if plan.terms is not None:
        return rigid_samples(plan, held_out.windows, options)
    assert held_out.curves is not None
    return malleable_samples(plan, held_out.windows, held_out.curves, options)
