"""One thing that differs, in words, and how descriptions are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """One thing that differs, in words; None on the side that has no such thing."""

    what: str
    old: str | None
    new: str | None


def differing(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Where two descriptions differ, in the order of the newer one, what is gone at the end."""
    for what in dict.fromkeys((*new, *old)):
        if old.get(what) != new.get(what):
            yield Change(what, old.get(what), new.get(what))
