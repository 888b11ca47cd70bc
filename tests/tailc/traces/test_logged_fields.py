"""A log of lines with named times: which is the time of a request, and a command that lists it."""

import re
import subprocess

import pytest

from tailc.errors import Code
from tailc.lint.lint import lint
from tailc.lint.roles import TraceOptions
from tailc.traces.logged_fields import field_in_lines
from tests.tailc.ingest.refusal import refused

LOGFMT = (
    'ts=2024-02-01T10:00:00.5Z caller=web.go:81 msg="served, x=1" status=200 duration={}ms n=7\n'
)
LAMBDA = "REPORT RequestId: 8f-aa\tDuration: {} ms\tBilled Duration: 16 ms\tMemory Size: 128 MB\n"
CURL = (
    "   time_namelookup:  0.0042\n      time_connect:  0.0101\n   ----\n        time_total:  {}\n"
)
LOGS = [
    (LOGFMT, "duration", ["9.008ms", "14.79ms", "3ms"]),
    (LAMBDA, "Duration", ["9.008 ms", "14.79 ms", "3 ms"]),
    (CURL, "time_total", ["9.008", "14.79", "3"]),
    ("GET /a took={}s code=200\n", "took", ["9.008s", "14.79s", "3s"]),
    (
        'at=info method=GET status=200 request_time="{}" x=9\n',
        "request_time",
        ["9.008", "14.79", "3"],
    ),
    ("total time:  {}\n".replace("{}", "0,15"), "time", ["0.15"] * 3),
    ("Completed 200 OK in: {} ms\n", "in", ["9.008 ms", "14.79 ms", "3 ms"]),
    (
        "I, [10:00:01] Started GET /x\nI, [10:00:02] Completed 200 OK in {}ms (Views: 3.1ms)\n",
        "in",
        ["9.008ms", "14.79ms", "3ms"],
    ),
    (
        "64 bytes from 1.2.3.4: icmp_seq=1 ttl=56 time={} ms\n",
        "time",
        ["9.008 ms", "14.79 ms", "3 ms"],
    ),
    ("urt=0.5 rt={} us=200\n", "rt", ["9.008", "14.79", "3"]),
    ("rt={} uct=0.5\n", "rt", ["9.008", "14.79", "3"]),
    ("request_time: {} ok total\n", "request_time", ["9.008", "14.79", "3"]),
    ("not_in 7 took 9 in {}s here\n", "in", ["9.008s", "14.79s", "3s"]),
    ("2024-02-01 10:00:01 LOG:  duration: {} ms  statement: SELECT\n", "duration", None),
]


@pytest.mark.parametrize(("line", "column", "cells"), LOGS)
def test_the_advised_command_lists_the_times(tmp_path, line, column, cells):
    path = tmp_path / "t.log"
    path.write_text("".join(line.format(time) for time in ("9.008", "14.79", "3")))
    found = refused(path)
    assert (found.code, "log of lines" in found.message) == (Code.UNKNOWN_INPUT, True)
    command = re.findall(r"by `(.*) > times.csv`", found.help or "")[0].replace("FILE", "t.log")
    listed = subprocess.check_output(["/bin/sh", "-c", command], cwd=tmp_path, text=True)
    wanted = cells or ["9.008 ms", "14.79 ms", "3 ms"]
    assert [each.strip() for each in listed.splitlines()] == [column, *wanted]
    assert f"`--column {column}`" in (found.help or "")
    assert found.message in [one.message for one in lint(str(path), TraceOptions()).findings]


@pytest.mark.parametrize(
    "text",
    [
        "id,took_ms\na=1,5\n",
        '{"duration": 5}\n',
        "# duration=5ms\n",
        "user=7 status=200\n" * 3,
        "time=1700000000123 status=200\n" * 3,
        "at 10:00:05 took: 2024-02-01\n" * 3,
        "Running 10s test @ http://a.example\n",
        "p50,name\n7,a\n8,b\n",
        "x1,text\n" + "5,no time\n" * 40 + "6,took=5ms\n" * 3,
        "",
    ],
)
def test_other_texts_have_no_times_with_names(text):
    assert field_in_lines(text.encode()) is None
