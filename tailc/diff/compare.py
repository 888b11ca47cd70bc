"""Compare two policies: their content, and their behaviour on held-out requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailc.artifact.envelope import Policy
from tailc.artifact.json_form import digest_of
from tailc.artifact.refusal import refusals_about
from tailc.diff.structure import StructureDiff, compare_structure, remarks
from tailc.errors import ExitCode, Finding

if TYPE_CHECKING:
    # Only replays need the engine, so that a diff without requests starts at once.
    from tailc.diff.behaviour import Behaviour
    from tailc.experiment.options import VerifyOptions
    from tailc.traces.profile import DemandProfile


@dataclass(frozen=True)
class Side:
    """One of two compared policies: its name, and `digest`, the hex SHA-256 of its content."""

    name: str
    kind: str
    generation: int
    digest: str


@dataclass(frozen=True)
class Diff:
    """Every difference between two policies, and warnings about the comparison.

    `behaviour` is None if nothing was replayed: no requests were given, or a runtime does the same
    under both policies.
    """

    old: Side
    new: Side
    structure: StructureDiff
    behaviour: Behaviour | None = None
    warnings: tuple[Finding, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of `diff`: 2 if the policies promise or do different things, else 0."""
        return ExitCode.DIFFERS if self.structure.differs else ExitCode.OK


def diff(
    old: Policy,
    new: Policy,
    held_out: DemandProfile | None = None,
    options: VerifyOptions | None = None,
) -> Diff:
    """Compare two policies as written and, with held-out requests, in replays.

    Deterministic in the policies, the requests and the options' seed. Raises TailcError if the
    requests do not fit either policy, or there is no rate to replay them at.
    """
    structure = compare_structure(old, new)
    change = None
    if held_out is not None and structure.changes_behaviour:
        from tailc.diff.behaviour import behaviour
        from tailc.experiment.options import VerifyOptions

        change = behaviour(old, new, held_out, options or VerifyOptions())
    return Diff(_side(old), _side(new), structure, change, remarks(old, new))


def _side(policy: Policy) -> Side:
    with refusals_about(policy.name):
        return Side(policy.name, policy.kind, policy.generation, digest_of(policy))
