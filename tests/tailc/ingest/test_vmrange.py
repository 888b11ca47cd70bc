"""Histograms of VictoriaMetrics: buckets with two bounds, which do not include those below."""

import json

import pytest

from tailc.errors import Code
from tailc.ingest.ingest import ingest
from tests.tailc.ingest.refusal import OPEN, options, refused

RANGES = [
    ("1.000e-02...1.136e-02", 40),
    ("1.136e-02...1.292e-02", 50),
    ("2.783e-02...3.162e-02", 10),
]


def scraped(folder, *buckets, total=None, labels=""):
    lines = [
        f'x_seconds_bucket{{{labels}vmrange="{bounds}"}} {count}\n' for bounds, count in buckets
    ]
    count = sum(count for _bounds, count in buckets) if total is None else total
    path = folder / "scrape.txt"
    path.write_text("".join(lines) + f"x_seconds_count{{{labels.rstrip(',')}}} {count}\n")
    return path


def taken(path, **given):
    (found,) = ingest([str(path)], options(**given), OPEN).inputs
    assert found.times is not None
    histogram = found.times.histogram
    # Demands are the middles of buckets that are up to a thousandth wide.
    bounds_ns = [1e6 * ms * (1 + 2**-10) for ms in (11.36, 12.92, 32)]
    below = [int(histogram.count[histogram.demand_ns <= bound].sum()) for bound in bounds_ns]
    return below, found.times.failed_among + found.times.left_out


def test_counts_are_those_of_each_bucket(tmp_path):
    assert taken(scraped(tmp_path, *RANGES)) == ([40, 90, 100], 0)
    assert taken(scraped(tmp_path, *reversed(RANGES))) == ([40, 90, 100], 0)
    assert taken(scraped(tmp_path, ("0...1.000e-09", 0), *RANGES)) == ([40, 90, 100], 0)


def test_label_sets_with_other_buckets_are_added_and_failed_ones_left_out(tmp_path):
    path = scraped(tmp_path, *RANGES[:2], labels='code="200",')
    more = scraped(tmp_path / ".." / tmp_path.name, *RANGES, labels='code="500",').read_text()
    path.write_text(scraped(tmp_path, *RANGES[:2], labels='code="200",').read_text() + more)
    assert taken(path) == ([40, 90, 90], 100)


def test_an_answer_of_the_api_has_them_too(tmp_path):
    path = tmp_path / "answer.json"
    result = [
        {
            "metric": {"__name__": "x_seconds_bucket", "vmrange": bounds},
            "value": [1.7e9, str(count)],
        }
        for bounds, count in RANGES
    ]
    data = {"resultType": "vector", "result": result}
    path.write_text(json.dumps({"status": "success", "data": data}))
    assert taken(path) == ([40, 90, 100], 0)


@pytest.mark.parametrize(
    ("buckets", "total", "code"),
    [
        ([*RANGES, ("3.162e-02...+Inf", 1)], None, Code.OPEN_BUCKET),
        ([*RANGES, RANGES[0]], None, Code.BROKEN_FORMAT),
        (RANGES, 99, Code.BROKEN_FORMAT),
        ([("1e-2...1e-3", 4)], None, Code.BROKEN_FORMAT),
        ([("1e-2", 4)], None, Code.BROKEN_FORMAT),
        ([("low...high", 4)], None, Code.BROKEN_FORMAT),
    ],
)
def test_unsound_buckets_are_refused(tmp_path, buckets, total, code):
    assert refused(scraped(tmp_path, *buckets, total=total)).code is code


@pytest.mark.parametrize("unit", ["ms", "milliseconds"])
def test_the_unit_is_the_end_of_the_name(tmp_path, unit):
    path = tmp_path / "scrape.txt"
    path.write_text(
        scraped(tmp_path, ("10...12.92", 90), ("12.92...31.62", 10))
        .read_text()
        .replace("seconds", unit)
    )
    assert taken(path)[0][1:] == [90, 100]
