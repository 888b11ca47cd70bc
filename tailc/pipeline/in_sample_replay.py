"""Replay a new policy on its design trace, for plots."""

from __future__ import annotations

from tailc.experiment.design_estimate import DesignEstimate, design_estimate
from tailc.experiment.options import VerifyOptions
from tailc.pipeline.compile import AnyCompiled
from tailc.progress import Progress
from tailc.traces.profile import DemandProfile


def in_sample_estimate(
    compiled: AnyCompiled, threads: int | None, progress: Progress
) -> DesignEstimate | None:
    """Estimate the policy's SLOs on the requests that it was compiled from, without baselines.

    None for a policy that serves no requests, or has no rate or no SLO.
    """
    policy, design = compiled.policy, compiled.design
    runs = bool(policy.ladders) or policy.tail_table is not None
    if not (isinstance(design, DemandProfile) and runs and policy.slos and policy.rates_mrps):
        return None
    options = VerifyOptions(
        baselines=(),
        threads=threads,
        allow_compile_trace=True,
        pictured=True,
        progress=lambda done, of: progress("replaying for the pictures", done / of),
    )
    return design_estimate(policy, design, options)
