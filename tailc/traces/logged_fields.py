"""Find times in the lines of a text log, such as `duration=12.5ms`, and how to extract them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

_MOST_LINES, _MOST_BYTES = 200, 1 << 16
# Fewest lines with the time, and at least one line in `_FEWEST_OF`.
_FEW, _FEWEST_OF = 3, 8
_FIELD = re.compile(
    r"(?<![\w.@-])(?P<name>[A-Za-z_@][\w.@-]{0,80})(?P<mark> ?= ?\"?|: *|(?:(?<= in)|(?<= took)) )"
    r"(?P<number>[0-9]+(?:[.,][0-9]+)?)(?: ?(?P<unit>ns|us|µs|ms|s|sec|seconds)(?![\w/=]))?"
    r"(?![\w.:/-])"
)
_LIKELY = re.compile(
    r"dur|elaps|latenc|took|total|response|request_?time|(?:^|_)rt$|^in$", re.IGNORECASE
)
_OF_TIME = re.compile(rf"{_LIKELY.pattern}|time|delay", re.IGNORECASE)
# Larger numbers are Unix times.
_LARGEST = 1e8


@dataclass(frozen=True)
class LoggedField:
    """A time that the lines of a text log contain.

    name: the word before it, such as `duration`. mark: the text between name and number. has_comma:
    whether the number has a decimal comma.
    """

    name: str
    mark: str
    has_unit: bool
    has_comma: bool

    @property
    def advice(self) -> str:
        """Advice for the user: a command that lists the times in a log, and how to read them."""
        column = re.sub(r"\W+", "_", self.name).strip("_")
        # Words have blanks around them, as in `Completed in 52 ms`; a name is not the end of
        # another one, as `rt` of `urt`.
        start = self.name + self.mark if self.mark else f"{self.name} "
        begin = "".join(each if each.isalnum() or each in "_=" else f"[{each}]" for each in start)
        begin, length = f"{'[^A-Za-z0-9_.@-]' if self.mark else '[ ]'}{begin}", len(start) + 1
        comma, points = (",", 'gsub(/,/, "."); ') if self.has_comma else ("", "")
        unit = " ?[a-zµ]*" if self.has_unit else ""
        command = (
            f'(echo {column}; awk \'{{$0 = " " $0}} match($0, /{begin} *[0-9.{comma}]+{unit}/) '
            f"{{{points}print substr($0, RSTART + {length}, RLENGTH - {length})}}' FILE) "
            "> times.csv"
        )
        own_unit = "" if self.has_unit else " and `--unit`"
        return (
            f"write the times to a file with a header, such as by `{command}`, and give it with "
            f"`--column {column}`{own_unit}"
        )


def field_in_lines(head: bytes) -> LoggedField | None:
    """Find the likeliest time in the lines of a text log by its first bytes, or None."""
    text = head[:_MOST_BYTES].decode("utf-8", "replace")
    lines = [line for line in text.splitlines()[:_MOST_LINES] if line.strip()]
    # A line of names rarely has digits.
    if not lines or lines[0].lstrip()[:1] in tuple("{[<#") or not re.search(r"\d", lines[0]):
        return None
    found = Counter[LoggedField]()
    for line in lines:
        of_line = (_field(match) for match in _FIELD.finditer(line))
        found.update(list(dict.fromkeys(each for each in of_line if each is not None)))
    least = max(min(_FEW, len(lines)), len(lines) // _FEWEST_OF)
    often = [field for field, times in found.items() if times >= least]
    return min(often, key=_rank, default=None)


def _field(match: re.Match[str]) -> LoggedField | None:
    """The field, if it is a time by its unit or its name."""
    field = LoggedField(
        match["name"], match["mark"].rstrip(" "), match["unit"] is not None, "," in match["number"]
    )
    is_time = field.has_unit or _OF_TIME.search(field.name) is not None
    number = float(match["number"].replace(",", "."))
    return field if is_time and number < _LARGEST else None


def _rank(field: LoggedField) -> tuple[bool, bool]:
    return _LIKELY.search(field.name) is None, not field.has_unit
