"""What a server's metrics may want to know of the policy it holds."""

from __future__ import annotations

from dataclasses import dataclass

UNREADABLE = "unreadable"


@dataclass
class Counters:
    """Counted since the first policy was opened; a policy that takes its place goes on counting.

    `outside`: look-ups at a load that the policy was not compiled for, of a queue longer than its
    rows, or at a moment outside its epochs. `refused_reloads`: policies that should have taken the
    place of the one held, and were refused or could not be read; `last_refusal`: why the last of
    them was, the `name` of its PolicyError or `unreadable`; None: none was.
    """

    outside: int = 0
    refused_reloads: int = 0
    last_refusal: str | None = None

    def refuse(self, why: str) -> None:
        """Count a policy that was refused."""
        self.refused_reloads += 1
        self.last_refusal = why
