"""What a command tells a CI service beside its findings: a verdict, what became worse."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Level(enum.Enum):
    """How a note is shown."""

    NOTICE = "notice"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Note:
    """One thing to tell; `title` is of what sort it is, such as `SLO fail`."""

    level: Level
    title: str
    message: str

    @property
    def ident(self) -> str:
        """The title as a name for programs, such as `slo-fail`."""
        return self.title.lower().replace(" ", "-")
