"""Refuse a file that is not a measurement, such as a spec or a policy, by its first bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tailc.errors import Code
from tailc.traces.access_logs import access_log
from tailc.traces.other_texts import OtherText, other_text
from tailc.traces.printed_summaries import printed_summary
from tailc.traces.scheduler_logs import scheduler_log
from tailc.traces.summaries import summary_of
from tailc.traces.telemetry_texts import telemetry_text

if TYPE_CHECKING:
    from tailc.traces.source import Source

_YAML = re.compile(rb"(?:\s|#[^\n]*\n|---[^\n]*\n)*apiVersion\s*:\s*[\"']?([\w.]+)/")
_TRACE = re.compile(rb"^[ \t]+(?:trace|from)\s*:\s*[\"']?([^\"'\n#]+)", re.MULTILINE)
_HTML = re.compile(rb"\s*<(?:!doctype html|html|\?xml)", re.IGNORECASE)
_POLICY, _POLICY_AT = b"TLC1", slice(4, 8)
_TAR_AT = slice(257, 262)
_RESULTS = "give the file with the measurements"
_TWICE = (
    "compressed twice",
    "decompress it once, such as by `gunzip -c FILE > inner`, and give that",
)
_BEGINNINGS = {
    # What is left after decompression.
    **dict.fromkeys((b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh9", b"\xfd7zXZ"), _TWICE),
    b"PK\x03\x04": (
        "a workbook or another zip archive, not a table",
        "save the sheet as CSV in UTF-8, or unpack the archive",
    ),
    b"%PDF": ("a PDF document, not a table", _RESULTS),
    b"RUN\t": (
        "a log of Gatling, and no table",
        "write a row for each of its lines `REQUEST`, with the difference of the two times in ms, "
        "without those that end in KO",
    ),
}


def refuse_other_kinds(source: Source, head: bytes) -> None:
    """Raise TailcError for a spec, a policy, a workbook and other files without measurements."""
    found = _kind(head)
    if found is not None:
        what, advice = found
        raise source.fault(Code.UNKNOWN_INPUT, f"`{source.name}` is {what}", advice=advice)


def _kind(head: bytes) -> tuple[str, str] | None:
    """Description of the file and advice; None if it may be measurements."""
    if (document := _YAML.match(head)) is not None:
        return _document(document[1], head)
    if head[_POLICY_AT] == _POLICY:
        advice = "give a trace; for a policy, use `tailc inspect` or `tailc verify`"
        return "a compiled policy, not measurements", advice
    begun = next(
        (description for begin, description in _BEGINNINGS.items() if head.startswith(begin)), None
    )
    if _HTML.match(head):
        begun = "a web page or XML, not a table", "download the data itself"
    if head[_TAR_AT] == b"ustar":
        begun = (
            "a tar archive, not a table",
            "unpack it by `tar -xf FILE`, and give the file inside",
        )
    if (text := _text(head)) is not None:
        begun = text.what, text.advice
    return begun or _summary(head)


def _text(head: bytes) -> OtherText | None:
    finders = other_text, access_log, printed_summary, scheduler_log, telemetry_text
    return next((text for find in finders if (text := find(head)) is not None), None)


def _summary(head: bytes) -> tuple[str, str] | None:
    """Description and advice if the file is the summary of a load generator, else None."""
    found = summary_of(head)
    if found is None:
        return None
    return f"a summary of {found.tool}, which has percentiles but no requests", found.advice


def _document(of: bytes, head: bytes) -> tuple[str, str]:
    if of != b"tailc":
        return f"a YAML document of `{of.decode()}`, not measurements", _RESULTS
    trace = _TRACE.search(head)
    named = f", `{trace[1].decode('utf-8', 'replace').strip()}`" if trace else ""
    advice = f"give the trace that the spec names{named}; `tailc check --with-trace` checks both"
    return "a spec, not measurements", advice
