"""Judge a policy: replay its emitted form on requests from which it was not compiled."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tailc.artifact.envelope import Policy
from tailc.experiment.by_hand import is_for_cost
from tailc.experiment.comparison import compare
from tailc.experiment.compatibility import check, is_compile_trace
from tailc.experiment.design_overlap import overlap_findings
from tailc.experiment.drift import drift_from
from tailc.experiment.options import VerifyOptions
from tailc.experiment.policy_arrivals import arrivals_of
from tailc.models.subjects import on_chip, subject_of
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile
from tailc.verify.verdict import Verdicts


def verify(
    policy: Policy, held_out: DemandProfile, options: VerifyOptions | None = None
) -> Verdicts:
    """Judge a policy and its baselines: one verdict for every SLO and arrival process.

    Deterministic in the policy, the held-out requests and the options' seed. Raises TailcError if
    there is nothing to verify (no SLO, no rate), if the held-out trace is the one that the policy
    was compiled from, or if it lacks a degree or a class that the policy needs.
    """
    options = options or VerifyOptions()
    check(policy, held_out, options)
    arrivals = arrivals_of(policy) if options.arrivals is None else options.arrivals
    subject = subject_of(policy, held_out)
    if options.chip is not None:
        subject = on_chip(subject, options.chip)
    with ThreadPoolExecutor(thread_count(options.threads)) as workers:
        drifted = workers.submit(drift_from, policy, held_out, options.seed)
        points = compare(
            subject, policy.slos, held_out, arrivals, options, workers, by_cost=is_for_cost(policy)
        )
    return Verdicts(
        policy_name=policy.name,
        generation=policy.generation,
        held_out_digest=held_out.digest,
        held_out_requests=held_out.total_weight,
        is_compile_trace=is_compile_trace(policy, held_out),
        seed=options.seed,
        requests_per_replay=options.requests_for(held_out.total_weight),
        replicates=options.replicates,
        slos=policy.slos,
        points=points,
        drift=drifted.result(),
        cut_off_us=options.cut_off_us,
        other_power_ppm=options.other_power_ppm,
        settling_requests=subject.settling_requests,
        shared=subject.shared_resource,
        comparisons=options.comparisons,
        warnings=overlap_findings((policy,), held_out, options.held_out_name),
    )
