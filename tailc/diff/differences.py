"""Compare two descriptions of settings, both text by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class SettingChange:
    """A setting that differs between two policies: name, old and new value as text.

    None where a policy lacks the setting.
    """

    what: str
    old: str | None
    new: str | None


def differences(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[SettingChange]:
    """List the differences between two descriptions, in the order of `new`, removed ones last."""
    for what in dict.fromkeys((*new, *old)):
        if old.get(what) != new.get(what):
            yield SettingChange(what, old.get(what), new.get(what))
