"""What the names of columns say."""

import pytest

from tailc.traces.telling_names import (
    degrees_of,
    requests_of,
    speedups_of,
    times_first,
    times_of,
    with_unit_suffix,
)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("Elapsed (s)", "s"),
        ("time [ms]", "ms"),
        ("wall(us)", "us"),
        ("latency (µs)", "us"),
        ("latency [ μs ]", "us"),
        ("Duration (Milliseconds)", "ms"),
        ("cpu [nsec]", "ns"),
        ("demand_ms", "ms"),
    ],
)
def test_a_unit_of_time_ends_a_name_or_stands_in_brackets_there(name, unit):
    assert times_of((name,)) == {name: unit}


@pytest.mark.parametrize("name", ["rate (1/s)", "wind [m/s]", "(s)", "users", "a (s) b", "t (min)"])
def test_other_names_have_no_unit_of_a_time(name):
    assert times_of((name,)) == {}


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Run (h)", "Run_h"),
        ("solar [kW]", "solar_kw"),
        ("price (EUR/MWh)", "price_eur_mwh"),
        ("count (all)", "count (all)"),
    ],
)
def test_a_known_unit_in_brackets_becomes_a_suffix(name, plain):
    assert with_unit_suffix(name) == plain


def test_names_of_requests_are_ordered_by_how_sure_they_are():
    names = ("#", "item", "Job #", "JobID", "request", "comment", "id")
    assert requests_of(names) == ("request", "id", "Job #", "JobID", "item", "#")


def test_names_of_degrees_count_threads_and_do_not_number_one():
    names = (
        "Worker Count",
        "core",
        "thread_id",
        "NUM_THREADS",
        "threads 4",
        "cores",
        "#cpus",
        "dop",
    )
    assert degrees_of(names) == ("dop", "Worker Count", "NUM_THREADS", "#cpus", "cores")


def test_a_number_too_long_for_a_degree_names_no_speedup():
    assert speedups_of(("speedup_1", "speedup_" + "1" * 5000)) == ("speedup_1",)


@pytest.mark.parametrize(
    ("names", "first"),
    [
        (("clientIp", "timestamp", "url", "status", "requestTime"), "requestTime"),
        (("time_local", "status", "upstream_response_time"), "upstream_response_time"),
        (("@timestamp", "size", "responsetime"), "responsetime"),
        (("time_iso8601", "uri", "rt"), "rt"),
        (("start_time", "end_time", "bytes", "wall_ms"), "wall_ms"),
        (("status", "us_state", "host"), "us_state"),
        (("host", "url"), "host"),
    ],
)
def test_columns_that_look_like_lengths_of_time_come_first(names, first):
    ordered = times_first(names)
    assert (ordered[0], sorted(ordered)) == (first, sorted(names))
