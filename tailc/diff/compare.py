"""Two policies compared: what is written in them, and on held-out requests what comes of it."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.artifact.json_form import digest_of
from tailc.artifact.refusal import refusals_about
from tailc.diff.structure import Structure, remarks, structure
from tailc.errors import ExitCode, Finding


@dataclass(frozen=True)
class Side:
    """One of the two policies; `digest` is the hex SHA-256 that both of its encodings carry."""

    name: str
    kind: str
    generation: int
    digest: str


@dataclass(frozen=True)
class Diff:
    """Every difference found, and what is odd about the comparison."""

    old: Side
    new: Side
    structure: Structure
    warnings: tuple[Finding, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """2 where the policies promise or do anything else, 0 where they do not."""
        return ExitCode.DIFFERS if self.structure.differs else ExitCode.OK


def diff(old: Policy, new: Policy) -> Diff:
    """What changes from `old` to `new`."""
    return Diff(_side(old), _side(new), structure(old, new), remarks(old, new))


def _side(policy: Policy) -> Side:
    with refusals_about(policy.name):
        return Side(policy.name, policy.kind, policy.generation, digest_of(policy))
