"""The policy without its controller: the table's own bound holds (Bartolini, 2015, fig. 3.6)."""

from __future__ import annotations

from dataclasses import replace

from tailc.models.subject import Subject


def open_loop(policy: Subject) -> Subject:
    """The same table."""
    return replace(policy, name="open loop", steering=None, note="")
