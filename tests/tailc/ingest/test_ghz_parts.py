"""Results of ghz that have fewer times than requests, since ghz writes a million at most."""

import json

import pytest

from tailc.errors import Code
from tailc.ingest.ingest import ingest
from tests.tailc.ingest.refusal import OPEN, options, refused


def result(folder, written, **totals):
    calls = [{"latency": 1_000_000 * number, "status": "OK"} for number in range(1, written + 1)]
    document = {"options": {"rps": 50}, "statusCodeDistribution": {"OK": written}, **totals}
    path = folder / "run.json"
    path.write_text(json.dumps({**document, "latencyDistribution": None, "details": calls}))
    return path


@pytest.mark.parametrize(
    ("totals", "missing"),
    [({"count": 15}, "the last 5 are missing"), ({"count": 1_500_000}, "the last 1,499,990 are")],
)
def test_requests_without_times_are_reported(tmp_path, totals, missing):
    found = ingest([str(result(tmp_path, 10, **totals))], options(), OPEN)
    assert [each.code for each in found.warnings] == [Code.CUT_SHORT]
    assert missing in found.warnings[0].message
    assert found.counted.histogram.requests == 10


@pytest.mark.parametrize("totals", [{"count": 10}, {}, {"count": None}, {"count": 9}])
def test_a_result_with_all_times_has_no_warning(tmp_path, totals):
    assert ingest([str(result(tmp_path, 10, **totals))], options(), OPEN).warnings == ()


def test_a_count_that_is_no_number_is_refused(tmp_path):
    assert refused(result(tmp_path, 10, count="many")).code is Code.BROKEN_FORMAT
