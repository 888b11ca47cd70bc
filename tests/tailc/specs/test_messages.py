"""What people read when a spec is broken. Regenerate with `pytest --snapshot-update`."""

import pytest
from syrupy.assertion import SnapshotAssertion

from tailc.report.findings import as_text
from tests.tailc.specs.messages_case import BROKEN
from tests.tailc.specs.writing import findings_of


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_spec_says_what_where_and_what_to_do(
    broken: str, snapshot: SnapshotAssertion
) -> None:
    assert as_text(findings_of(BROKEN[broken])) == snapshot


@pytest.mark.parametrize("broken", BROKEN)
def test_no_message_speaks_of_the_validator(broken: str) -> None:
    text = as_text(findings_of(BROKEN[broken])).lower()
    for word in (
        "input should",
        "pydantic",
        "validation",
        "value error",
        "nonetype",
        "_type",
        "ppm",
    ):
        assert word not in text


@pytest.mark.parametrize("broken", BROKEN)
def test_every_finding_has_a_line_and_a_column_in_the_file(broken: str) -> None:
    lines = BROKEN[broken].splitlines()
    for finding in findings_of(BROKEN[broken]):
        place = finding.place
        assert place is not None
        assert place.line is not None
        assert place.column is not None
        assert lines[place.line - 1] == place.excerpt
