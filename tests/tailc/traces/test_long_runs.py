"""What recognises texts and names takes a time that is proportional to their length.

With a pattern whose time grows with the square of the length, a test takes minutes to hours.
"""

from __future__ import annotations

import itertools

import pytest

from tailc.ingest.failed_labels import is_failed
from tailc.ingest.formats import find_formats
from tailc.lint.checks.cells import _is_number
from tailc.traces.cell_faults import fault_of
from tailc.traces.csv_dialect import NUMBER, dialect_of
from tailc.traces.jobs.swf import SwfHeader, _is_right
from tailc.traces.json_rows import rows_in_json
from tailc.traces.logged_fields import field_in_lines
from tailc.traces.names_below import table_below
from tailc.traces.no_table import _of_blanks, is_summary
from tailc.traces.other_kinds import _kind
from tailc.traces.series.table_series import _SPAN
from tailc.traces.telling_names import (
    degrees_of,
    is_percentile,
    is_running_total,
    requests_of,
    statistics_among,
    times_of,
)

HEAD_BYTES, CELL_CHARACTERS = 1 << 18, 1 << 15
# What a long run can follow, and what it can be of.
BEGINS = (
    *("", "Summary:", "apiVersion: tailc/v1\n", '{"a": "', '{"data": [', "[[{", "<?xml "),
    *("names\n", "JobID x\n", "HIST", "a: ", "1 0.000000 1", "Running 1s test @ ", "# TYPE "),
)
UNITS = (
    " ",
    "\n",
    " \n",
    "-",
    "-|",
    "=",
    "5",
    "a",
    "5 ",
    ".5",
    '"',
    '\\"',
    "{",
    "[",
    "a,",
    "a: \n",
)
SHORT = ("", "a", "5", "1.", "a (", "a - b\n", "p9", "speedup_")
SIGNS = (" ", "5", ".", "5.", "a", "_", "(", "[", " (", "%", " - x", "A", ",", "5,5")


@pytest.mark.parametrize("begin", BEGINS)
def test_the_kind_of_a_text(begin):
    for unit in UNITS:
        text = begin + unit * (HEAD_BYTES // len(unit)) + "\0"
        head = text.encode()
        for recognise in (_kind, is_summary, field_in_lines, table_below, _of_blanks, rows_in_json):
            recognise(head)
        for each in find_formats():
            each.matches(head)
        assert dialect_of(text)


@pytest.mark.parametrize("end", ["", "x"])
def test_what_a_name_or_a_cell_is(end):
    for begin, sign in itertools.product(SHORT, SIGNS):
        text = begin + sign * (CELL_CHARACTERS // len(sign)) + end
        names = (text, "x")
        assert not (is_percentile(text, names) and is_running_total(text, names))
        for recognise in (times_of, requests_of, degrees_of, statistics_among):
            recognise(names)
        for match in (fault_of, NUMBER.fullmatch, _SPAN.fullmatch, _is_number):
            match(text)
        for number in range(3):
            _is_right(text, number)
        is_failed("rpc_status", text)
        SwfHeader("log").note(f";Note: {text}x", 1)
