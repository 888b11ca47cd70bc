"""A difference as text, and the comparison of descriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class SettingChange:
    """One difference as text; None on a side without such a thing."""

    what: str
    old: str | None
    new: str | None


def differences(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[SettingChange]:
    """Differences between two descriptions, in the order of the newer, removed ones last."""
    for what in dict.fromkeys((*new, *old)):
        if old.get(what) != new.get(what):
            yield SettingChange(what, old.get(what), new.get(what))
