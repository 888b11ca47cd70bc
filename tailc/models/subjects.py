"""Make the execution model for a policy, ready for a replay.

A model is imported only when a policy needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tailc.artifact.envelope import Policy
from tailc.forms.ladder.lanes import is_on_lanes
from tailc.forms.ladder.table import Ladder, Rule
from tailc.forms.tail_table import TailTable
from tailc.traces.profile import DemandProfile

if TYPE_CHECKING:
    from tailc.models.core_queues.chip import Chip
    from tailc.models.core_queues.model import CoreQueues
    from tailc.models.execution_model import Subject
    from tailc.models.ladder_model import LadderModel


def subject_of(policy: Policy, profile: DemandProfile) -> Subject:
    """Make the execution model that replays a policy on a simulated server.

    It has the policy's ladders (one for each class of requests) or its tail table. Raises
    LookupError for a class without a ladder.
    """
    if policy.tail_table is not None:
        return _on_clocks(policy, policy.tail_table)
    ladder = policy.ladders[0]
    parts = policy.name, policy.ladders, _ladder_of(policy, profile)
    if is_on_lanes(ladder):
        from tailc.models.smt.model import Smt
        from tailc.models.smt.waking import waking_of

        return Smt(*parts, waking=waking_of(policy))
    if Rule.CORE_PER_REQUEST in ladder.rules:
        from tailc.models.core_types.model import CoreTypes

        return CoreTypes(*parts, steering=policy.controller)
    from tailc.models.shared_cores.model import SharedCores

    return SharedCores(*parts)


def on_chip(subject: Subject, chip: Chip) -> CoreQueues:
    """Replace the independent cores of a core-queue model by the cores of a chip."""
    from tailc.models.core_queues.model import CoreQueues

    assert isinstance(subject, CoreQueues)
    return replace(subject, clocks=replace(subject.clocks, chip=chip))


def on_ladders(name: str, ladders: Sequence[Ladder]) -> LadderModel:
    """Make the execution model for some ladders; all trace records climb the first ladder."""
    if is_on_lanes(ladders[0]):
        from tailc.models.smt.model import Smt

        return Smt(name, tuple(ladders))
    if Rule.CORE_PER_REQUEST in ladders[0].rules:
        from tailc.models.core_types.model import CoreTypes

        return CoreTypes(name, tuple(ladders))
    from tailc.models.shared_cores.model import SharedCores

    return SharedCores(name, tuple(ladders))


def _on_clocks(policy: Policy, table: TailTable) -> CoreQueues:
    from tailc.models.core_queues.batch_model import batch_model_of
    from tailc.models.core_queues.clocks import Clocks
    from tailc.models.core_queues.model import CoreQueues
    from tailc.models.core_queues.reference_clock import reference_khz

    clock_khz = reference_khz(policy)
    assert clock_khz is not None
    clocks = Clocks(table, clock_khz, batch_model=batch_model_of(policy))
    return CoreQueues(policy.name, clocks, policy.controller)


def _ladder_of(policy: Policy, profile: DemandProfile) -> NDArray[np.int32] | None:
    """The ladder of each record; None if one ladder is for all requests."""
    if len(policy.ladders) == 1 and policy.ladders[0].request_class is None:
        return None
    ladders = [policy.form_for(name) for name in profile.curve_names]
    of_curve = np.array([policy.ladders.index(ladder) for ladder in ladders], dtype=np.int32)
    return of_curve[profile.curve_of]
