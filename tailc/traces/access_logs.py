"""Recognise access logs of web servers, which are text without column names."""

from __future__ import annotations

import re
from dataclasses import replace

from tailc.traces.logged_fields import field_in_lines
from tailc.traces.other_texts import OtherText, text_among

# The first line distinguishes them from tables, which begin with names. Bounds limit the match.
# JSON may have such a date as text.
_BEGIN, _REST = rb"(?:\xef\xbb\xbf)?(?![\s\[]{0,20}\{)[^\n]{0,500}?", rb"[^\n]{0,4000}?"
_DAY_AND_TIME = rb"\[\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2}"
_ISO = rb"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[.\d]*Z"
# A balancer, a client, a server or none, and the three times of a request.
_BALANCED = rb" \S+ \S+:\d+ (?:\S+:\d+|-) (?:-?[\d.]+ ){3}"
_UNNAMED = "which has no line of names"
# Parameters of a request or of a page that refers to it are no times.
_ADDRESSES = re.compile(rb'"(?:[A-Z]{3,10} |[a-z]{2,10}://)[^"\n]{0,4000}"')


def access_log(head: bytes) -> OtherText | None:
    """The kind of access log that the first bytes of a file show; None if it is none."""
    found = text_among(_LOGS, head)
    if found is not _OF_SERVER:
        return found
    field = field_in_lines(_ADDRESSES.sub(b'""', head))
    return found if field is None else replace(_OF_SERVER, advice=field.advice)


def _column_advice(name: str, command: str) -> str:
    """Advice to write the times below a name by a command."""
    return f"`(echo {name}; {command} FILE) > times.csv`, with `--column {name}`"


_OF_SERVER = OtherText(
    re.compile(_BEGIN + _DAY_AND_TIME + rb"(?:\.\d+)? [+-]\d{4}\]"),
    f"an access log of a web server, {_UNNAMED}",
    "give the word of each line that is the time of a request below a name, such as the last: "
    + _column_advice("time_s", "awk '{print $NF}'")
    + "; if there is no such time, log it: `$request_time` of nginx in s, `%D` of Apache in us",
)
_LOGS = (
    OtherText(
        re.compile(rb"\[GIN\] [^|\n]*\|[^|\n]*\|"),
        f"a log of Gin, {_UNNAMED}",
        "give its third field below a name, such as "
        + _column_advice("latency", "awk -F'|' '{print $3}'"),
    ),
    OtherText(
        # Five times in ms, and the status.
        re.compile(_BEGIN + _DAY_AND_TIME + rb"\.\d+\] " + _REST + rb" (?:-?\d+/){4}\+?\d+ \d{3} "),
        f"a log of HAProxy, {_UNNAMED}",
        "give the times of the servers below a name, such as "
        + _column_advice(
            "server_ms", r"sed -nE 's|.* (-?[0-9]+/){3}([0-9]+)/[+]?[0-9]+ [0-9]{3} .*|\2|p'"
        ),
    ),
    OtherText(
        re.compile(_BEGIN + _DAY_AND_TIME + rb"\.\d+\] "),
        f"a log of HAProxy in a format of its own, {_UNNAMED}",
        "end the `log-format` with the time of the server in ms, `%Tr`, and give the last words "
        "below a name, such as " + _column_advice("server_ms", "awk '$NF >= 0 {print $NF}'"),
    ),
    _OF_SERVER,
    OtherText(
        re.compile(rb"\[" + _ISO + rb"\] \"" + _REST + rb"\" \d{1,3} "),
        f"an access log of Envoy, {_UNNAMED}",
        'log JSON by `json_format: {duration: "%DURATION%"}`, and give that with '
        "`--column duration --unit ms`",
    ),
    OtherText(
        re.compile(rb"(?:https?|h2|grpcs|wss?) " + _ISO + _BALANCED),
        f"an access log of an AWS load balancer, {_UNNAMED}",
        "give the times of the servers below a name, such as "
        + _column_advice("server_s", "awk '$7 >= 0 {print $7}'")
        + "; -1 is that of a request without an answer",
    ),
    OtherText(
        re.compile(_ISO + _BALANCED),
        f"an access log of a classic AWS load balancer, {_UNNAMED}",
        "give the times of the servers below a name, such as "
        + _column_advice("server_s", "awk '$6 >= 0 {print $6}'")
        + "; -1 is that of a request without an answer",
    ),
    OtherText(
        re.compile(rb"(?:\xef\xbb\xbf)?(?:#[^\n]*\n){0,9}?#Fields:[ \t]"),
        "a log in the W3C extended format, as IIS and CloudFront write it, whose names are in a "
        "comment",
        "give its times below a name, such as "
        + _column_advice(
            "time_taken",
            'awk \'{sub(/\\r/, "")} /^#Fields:/ {for (i = 2; i <= NF; i++) '
            'if ($i == "time-taken") n = i - 1} !/^#/ {print $n}\'',
        )
        + ", and with `--unit ms` for IIS or `--unit s` for CloudFront",
    ),
)
