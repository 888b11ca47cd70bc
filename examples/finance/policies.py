"""The policies that the experiment compares, as the server reads them and as the replay does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import tailc
from tailc.artifact.envelope import Evidence, Policy
from tailc.forms.ladder.table import Climb, Ladder
from tailc.models.core_types.model import CoreTypes

SLOW, FAST = 0, 1
COMPILED = "EETL"
# With ages by the number in the system, tuned with queues, in place of a controller.
TUNED = "TUNED"
# Fastest core first, and slow core first: what a table can say at its extremes.
BASELINES = {"TL": Climb(0, FAST), "EE": Climb(0, SLOW)}
NOBODY_SOLVED = Evidence("none", "by-hand", "by-definition", "", (), 0, (), ())


def policies(compiled: Policy, tuned: Policy | None = None) -> dict[str, Policy]:
    """By name: the compiled one with its controller, the tuned one, and the baselines.

    Only the first has a controller.
    """
    ladder = compiled.ladders[0]
    found = {COMPILED: compiled}
    if tuned is not None:
        found[TUNED] = tuned
    for name, climb in BASELINES.items():
        forms = (with_climbs(ladder, (climb,)),)
        found[name] = replace(compiled, forms=forms, evidence=NOBODY_SOLVED)
    return found


def with_climbs(ladder: Ladder, climbs: tuple[Climb, ...]) -> Ladder:
    """The ladder with other ages."""
    return replace(ladder, rows=(replace(ladder.rows[0], climbs=climbs),))


def written(policy: Policy, stem: Path) -> Path:
    """The `.tailc` of a policy, for the server."""
    return tailc.write_artifact(policy, stem)[1]


def subject_of(name: str, policy: Policy) -> CoreTypes:
    """The policy for the replay."""
    return CoreTypes(name, policy.ladders, steering=policy.controller)
