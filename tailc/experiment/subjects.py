"""What is replayed of a policy, and the percentiles that its SLOs are about."""

from __future__ import annotations

import numpy as np

from tailc.artifact.envelope import Policy
from tailc.experiment.estimate import (
    Tail,
)
from tailc.models.core_queues.clocks import Clocks
from tailc.models.core_queues.usage import reference_khz
from tailc.models.smt.usage import waking_of
from tailc.models.subject import Subject
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile


def subject_of(policy: Policy, held_out: DemandProfile) -> Subject:
    """The policy's ladders, each class of requests on its own, or its tail table.

    Raises LookupError for a class that no ladder is for.
    """
    if policy.tail_table is not None:
        clock_khz = reference_khz(policy)
        assert clock_khz is not None
        clocks = Clocks(policy.tail_table, clock_khz)
        return Subject(policy.name, steering=policy.controller, clocks=clocks)
    if len(policy.ladders) == 1 and policy.ladders[0].request_class is None:
        parts = policy.name, policy.ladders
        return Subject(*parts, steering=policy.controller, waking=waking_of(policy))
    ladders = [policy.form_for(name) for name in held_out.curve_names]
    of_curve = np.array([policy.ladders.index(ladder) for ladder in ladders], dtype=np.int32)
    return Subject(
        policy.name, policy.ladders, of_curve[held_out.curve_of], steering=policy.controller
    )


def tail_of(slo: Slo, held_out: DemandProfile) -> Tail:
    """The percentile that an SLO is about; its class is one of the profile's."""
    if slo.request_class is None:
        return Tail(slo.percentile_ppm)
    return Tail(slo.percentile_ppm, held_out.curve_names.index(slo.request_class))
