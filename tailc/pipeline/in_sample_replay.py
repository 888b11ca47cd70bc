"""A new policy replayed on the sample that it was compiled from, for what pictures show."""

from __future__ import annotations

from tailc.experiment.design_estimate import DesignEstimate, design_estimate
from tailc.experiment.options import VerifyOptions
from tailc.pipeline.compile import AnyCompiled
from tailc.progress import Progress
from tailc.traces.profile import DemandProfile


def on_design(
    compiled: AnyCompiled, threads: int | None, progress: Progress
) -> DesignEstimate | None:
    """What the policy does alone, without baselines.

    None where no request arrives, or no rate or objective is stated.
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
