"""Notes of a command for a CI service, such as verdicts and what became worse."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class NoteLevel(enum.Enum):
    """Severity with which a CI service shows a note."""

    NOTICE = "notice"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Note:
    """A note for a CI service; `title` is its category, such as `SLO fail`."""

    level: NoteLevel
    title: str
    message: str

    @property
    def ident(self) -> str:
        """The note's title as an identifier, such as `slo-fail`."""
        return self.title.lower().replace(" ", "-")
