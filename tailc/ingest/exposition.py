r"""Parse a line of the Prometheus text formats: name, labels and value.

    http_request_duration_seconds_bucket{handler="/search",le="0.1"} 207 1700000000000

In a label value `\\`, `\"` and `\n` mean a backslash, a quote and the end of a line. A name with
other characters is quoted; that of the metric is then the first text in the braces. After the value
there may be a time, and in OpenMetrics an exemplar after a `#`; both are ignored.

Source: Prometheus documentation, "Exposition formats", text formats 0.0.4 and 1.0.0; OpenMetrics
1.0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = re.compile(r"\s*([a-zA-Z_:][a-zA-Z0-9_:]*)?\s*")
_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_LABEL = re.compile(
    rf"\s*(?:([a-zA-Z_][a-zA-Z0-9_]*)|{_QUOTED})\s*(?:=\s*{_QUOTED}\s*)?(?:,|(?=\}}))"
)
_CLOSED = re.compile(r"\s*\}")
_VALUE = re.compile(r"\s*(\S+)(?:\s+[-+0-9.eE]+)?\s*(?:#.*)?$")
_ESCAPE = re.compile(r"\\(.)")


class LineError(ValueError):
    """Error: a line is not a sample; `at` is the index of the wrong character."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True)
class SampleLine:
    """A line of a Prometheus scrape: name of the series, labels, and the value as written."""

    name: str
    labels: dict[str, str]
    value: str


def line_of(text: str) -> SampleLine:
    """Parse the sample on a line; raises LineError if there is none."""
    found = _NAME.match(text)
    assert found is not None
    name, at = found[1] or "", found.end()
    labels: dict[str, str] = {}
    if text[at : at + 1] == "{":
        name, at = _braces(text, at + 1, name, labels)
    value = _VALUE.match(text, at)
    if value is None or not name:
        raise LineError(at, "a name, labels in braces and a number")
    return SampleLine(name, labels, value[1])


def _braces(text: str, at: int, name: str, labels: dict[str, str]) -> tuple[str, int]:
    """Parse labels up to the closing brace; the name can be among them."""
    while (closed := _CLOSED.match(text, at)) is None:
        found = _LABEL.match(text, at)
        if found is None:
            raise LineError(at, 'a label, as `name="value"`, with `\\`, `"` escaped')
        label = found[1] or _unescape(found[2])
        if found[3] is None:
            if name or found[1]:
                raise LineError(at, "a label with a value")
            name = label
        elif label in labels:
            raise LineError(at, f"the label `{label}` once")
        else:
            labels[label] = _unescape(found[3])
        at = found.end()
    return name, closed.end()


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else found[1], text)
