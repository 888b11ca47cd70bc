"""Texts of tests with parts of them exchanged."""

from __future__ import annotations


def swapped(text: str, *changes: tuple[str, str]) -> str:
    """The text with each (old, new) replaced; every old text must be there, and once."""
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} must stand once in:\n{text}"
        text = text.replace(old, new)
    return text
