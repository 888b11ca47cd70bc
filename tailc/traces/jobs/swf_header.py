"""Read the comments at the beginning of a Standard Workload Format log, which describe the
machine."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.traces.zones import ADVICE, TimeError, zone_of

_LABELLED = re.compile(r";\s*(\w+):\s*(.*?)\s*")
_MINUTES_PER_HOUR, _SECONDS_PER_MINUTE = 60, 60
# Labels that give the width of the machine and the number of lines, the better ones first.
_WIDTHS = ("MaxProcs", "MaxNodes")
_COUNTS = ("MaxRecords", "MaxJobs")


@dataclass
class SwfHeader:
    """Labels and values with their line numbers; the first of repeated labels counts."""

    source: str
    values: dict[str, tuple[str, int]] = field(default_factory=dict)

    def note(self, line: str, at: int) -> None:
        """Read a line that begins with `;`, with or without a label."""
        if match := _LABELLED.fullmatch(line):
            self.values.setdefault(match[1], (match[2], at))

    @property
    def start_unix_s(self) -> int | None:
        """Time of second 0 of the log [Unix s]."""
        return self._whole("UnixStartTime")

    @property
    def capacity(self) -> int | None:
        """Number of processors of the machine, or else of its nodes."""
        return next((width for label in _WIDTHS if (width := self._whole(label))), None)

    @property
    def zone(self) -> str | None:
        """Time zone by name, or else by offset; raises TailcError for an unknown name.

        If both exist they may differ: a name includes daylight saving time, an offset does not.
        """
        name = self._text("TimeZoneString")
        if name is not None:
            try:
                zone_of(name)
            except TimeError as error:
                raise self._fault("TimeZoneString", str(error), ADVICE) from None
            return name
        offset_s = self._whole("TimeZone", least=-86_399)
        return None if offset_s is None else _offset(offset_s)

    def count_warning(self, lines: int) -> tuple[Finding, ...]:
        """A warning if the log has another number of lines than the header states."""
        label = next((label for label in _COUNTS if self._whole(label) is not None), None)
        stated = None if label is None else self._whole(label)
        if label is None or stated is None or stated == lines:
            return ()
        message = (
            f"the header states {stated} jobs, but the log has {lines}: it may be an excerpt or "
            "truncated"
        )
        place = Place(self.source, line=self.values[label][1])
        return (Finding(Code.LOG_IS_PART, message, place, severity=Severity.WARNING),)

    def _text(self, label: str) -> str | None:
        """The value; None if missing or `-1`, which means unknown."""
        value = self.values.get(label, ("", 0))[0]
        return None if value in ("", "-1") else value

    def _whole(self, label: str, least: int = 0) -> int | None:
        text = self._text(label)
        if text is None:
            return None
        # Some logs explain a number in words after it.
        number = text.split()[0]
        if not re.fullmatch(r"[+-]?[0-9]{1,12}", number) or int(number) < least:
            message = f"`{label}` is `{text}`, which is not a valid number"
            raise self._fault(label, message, "correct the header, or remove the line")
        return int(number)

    def _fault(self, label: str, message: str, help_: str) -> TailcError:
        place = Place(self.source, line=self.values[label][1])
        code = Code.NO_ZONE if label == "TimeZoneString" else Code.NOT_A_NUMBER
        return TailcError(Finding(code, message, place, help_))


def _offset(seconds: int) -> str:
    minutes, _ = divmod(abs(seconds), _SECONDS_PER_MINUTE)
    hours, minutes = divmod(minutes, _MINUTES_PER_HOUR)
    return f"{'-' if seconds < 0 else '+'}{hours:02d}:{minutes:02d}"
