"""One compile as requested: the spec, its overrides, and how to run it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.spec import OpenedSpec
from tailc.policies import KindSpec
from tailc.progress import Progress


@dataclass(frozen=True)
class Judging:
    """Settings of the replay that estimates a policy before it is written.

    allows_misses: write the policy even if its estimate misses an SLO.
    """

    allows_misses: bool = False


@dataclass(frozen=True)
class Compilation:
    """A compile as requested: the spec, its overrides, and how to run it.

    spec: the opened spec with `overrides` applied to its search. previous: the policy that the
    result replaces, if any.
    """

    opened: OpenedSpec
    spec: KindSpec
    overrides: Mapping[str, object]
    previous: Policy | None
    threads: int
    progress: Progress
    judging: Judging | None = None

    def check_previous(self) -> None:
        """Raise TailcError (CONFLICT) if the previous policy has another name."""
        if self.previous is None or self.previous.name == self.opened.spec.name:
            return
        message = f"the previous policy is `{self.previous.name}`, but the spec is for "
        message += f"`{self.opened.spec.name}`"
        hint = (
            "generations count versions of one policy: give the previous version of this policy, "
            "or none"
        )
        place = self.opened.loaded.place("name")
        raise TailcError(Finding(Code.CONFLICT, message, place, hint))
