"""Options that choose what is checked in the output of a tool."""

import json

import pytest

from tailc.errors import Code, ExitCode
from tailc.ingest.options import InputOptions, MetricOptions, SpanOptions
from tailc.ingest.stated_measure import StatedMeasure
from tailc.lint.lint import lint
from tailc.lint.roles import TraceOptions
from tailc.traces.profile import Measure

OPEN = StatedMeasure(Measure.RESPONSE_OPEN)


def spans(*services):
    return json.dumps(
        [
            {
                "traceId": f"{trace:x}",
                "id": f"{trace:x}{service}",
                "kind": "SERVER",
                "timestamp": 1_700_000_000_000_000 + trace,
                "duration": 1_000 * trace,
                "localEndpoint": {"serviceName": f"s{service}"},
            }
            for trace in range(1, 31)
            for service in services
        ]
    )


def buckets(*handlers):
    return "# TYPE t_seconds histogram\n" + "".join(
        f't_seconds_bucket{{handler="{name}",le="{le}"}} {count}\n'
        for name in handlers
        for le, count in (("0.1", 5), ("0.2", 10), ("+Inf", 10))
    )


def linted(folder, text, report=None, stated=OPEN, name="run.txt"):
    path = folder / name
    path.write_text(text)
    return lint(str(path), TraceOptions(report=report or InputOptions(), stated=stated))


def codes(result):
    return [finding.code for finding in result.findings]


def test_a_service_is_chosen(tmp_path):
    text = spans(1, 2, 3)
    several = linted(tmp_path, text)
    assert codes(several) == [Code.SEVERAL_SERVICES]
    assert "options of" not in (several.findings[0].help or "")
    chosen = linted(tmp_path, text, InputOptions(spans=SpanOptions(services=("s2",))))
    assert (chosen.rows, chosen.exit_code) == (30, ExitCode.OK)
    both = linted(tmp_path, text, InputOptions(spans=SpanOptions(services=("s2", "s3"))))
    assert both.rows == 60


def test_a_service_that_is_missing_is_an_error(tmp_path):
    found = linted(tmp_path, spans(1), InputOptions(spans=SpanOptions(services=("web",))))
    assert found.exit_code is ExitCode.BAD_CONTENT


def test_a_series_is_chosen(tmp_path):
    chosen = InputOptions(metrics=MetricOptions("t_seconds", (("handler", "/b"),)))
    assert linted(tmp_path, buckets("/a", "/b"), chosen).rows == 10


@pytest.mark.parametrize("measure", [Measure.RESPONSE_OPEN, Measure.DEMAND_BUSY])
def test_a_measure_is_stated(tmp_path, measure):
    text = spans(1)
    assert codes(linted(tmp_path, text, stated=StatedMeasure())) == [Code.UNSTATED_MEASURE]
    stated = linted(tmp_path, text, stated=StatedMeasure(measure))
    # A response is no demand without a reason.
    assert (stated.rows == 30) is (measure is Measure.RESPONSE_OPEN)


@pytest.mark.parametrize("name", ["t.csv", "jobs.csv", "t.ndjson"])
def test_a_table_has_no_spans(tmp_path, name):
    text = '{"demand_ms": 4}\n' if name.endswith("ndjson") else "demand_ms\n4\n5\n"
    found = linted(tmp_path, text, InputOptions(tags=("a",)), name=name)
    assert codes(found) == [Code.USAGE]
    assert found.exit_code is ExitCode.USAGE
