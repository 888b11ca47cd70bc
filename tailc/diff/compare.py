"""Two policies compared: what is written in them, and on held-out requests what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailc.artifact.envelope import Policy
from tailc.artifact.json_form import digest_of
from tailc.artifact.refusal import refusals_about
from tailc.diff.structure import Structure, remarks, structure
from tailc.errors import ExitCode, Finding

if TYPE_CHECKING:
    # Only what replays needs the engine: without requests a diff starts at once.
    from tailc.diff.behaviour import Behaviour
    from tailc.experiment.options import VerifyOptions
    from tailc.traces.profile import DemandProfile


@dataclass(frozen=True)
class Side:
    """One of the two policies; `digest` is the hex SHA-256 that both of its encodings carry."""

    name: str
    kind: str
    generation: int
    digest: str


@dataclass(frozen=True)
class Diff:
    """Every difference found, and what is odd about the comparison.

    `behaviour` is None where nothing was replayed: no requests were given, or a runtime does the
    same under both policies.
    """

    old: Side
    new: Side
    structure: Structure
    behaviour: Behaviour | None = None
    warnings: tuple[Finding, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """2 where the policies promise or do anything else, 0 where they do not."""
        return ExitCode.DIFFERS if self.structure.differs else ExitCode.OK


def diff(
    old: Policy,
    new: Policy,
    held_out: DemandProfile | None = None,
    options: VerifyOptions | None = None,
) -> Diff:
    """What changes from `old` to `new`; with held-out requests, also what becomes of them.

    Deterministic in the policies, the requests and the options' seed. Raises TailcError where the
    requests do not fit either policy, or there is no rate to replay them at.
    """
    found = structure(old, new)
    became = None
    if held_out is not None and found.does_otherwise:
        from tailc.diff.behaviour import behaviour
        from tailc.experiment.options import VerifyOptions

        became = behaviour(old, new, held_out, options or VerifyOptions())
    return Diff(_side(old), _side(new), found, became, remarks(old, new))


def _side(policy: Policy) -> Side:
    with refusals_about(policy.name):
        return Side(policy.name, policy.kind, policy.generation, digest_of(policy))
