"""Counters about the policy in use, for the metrics of a server."""

from __future__ import annotations

from dataclasses import dataclass

UNREADABLE = "unreadable"


@dataclass
class Counters:
    """Counts since the first policy was opened; a policy that replaces another continues its
    counts.

    outside: look-ups at a load for which the policy was not compiled, with a queue longer than its
    rows, or at a time outside its epochs. refused_reloads: new policies that were refused or could
    not be read. last_refusal: reason of the last one, the `name` of its PolicyError or
    `unreadable`; None without one.
    """

    outside: int = 0
    refused_reloads: int = 0
    last_refusal: str | None = None

    def refuse(self, why: str) -> None:
        """Count a refused policy."""
        self.refused_reloads += 1
        self.last_refusal = why
