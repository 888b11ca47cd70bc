"""Variants of a spec that read their trace alike share it."""

import pickle
from collections import Counter
from dataclasses import replace

import pytest

from tailc.errors import Code, TailcError
from tailc.pipeline.spec import open_kind
from tailc.pipeline.trace import open_measured
from tailc.studies import shared_traces
from tailc.studies.shared_traces import SharedTraces
from tailc.traces.serial import Serial
from tests.tailc.toy import SPEC, write_toy


@pytest.fixture
def toy(tmp_path):
    return write_toy(tmp_path)


@pytest.fixture
def reads(monkeypatch):
    """How often each trace is read."""
    counts = Counter()

    def counted(opened):
        counts[opened.spec.demand.trace] += 1
        return open_measured(opened)

    monkeypatch.setattr(shared_traces, "open_measured", counted)
    return counts


def test_variants_that_read_alike_share_one_reading(toy, reads):
    opened = open_kind(str(toy))
    traces = SharedTraces([opened, opened, None, opened])
    found = [traces.reading_of(number)(opened) for number in (0, 1, 3)]
    assert found[0] is found[1] is found[2]
    assert reads == {"toy.csv": 1}


@pytest.mark.parametrize("change", [("cores: ", "cores: 1"), ("unit: ms", "unit: us")])
def test_variants_that_read_differently_do_not(tmp_path, toy, reads, change):
    other = tmp_path / "other.yaml"
    other.write_text(SPEC.replace(*change))
    opened = [open_kind(str(toy)), open_kind(str(other))]
    traces = SharedTraces(opened)
    first, second = (traces.reading_of(number)(opened[number]) for number in (0, 1))
    assert first is not second
    assert reads == {"toy.csv": 2}


def test_variants_of_other_serial_parts_do_not(tmp_path, reads):
    opened = [
        open_kind(write_toy(tmp_path, f"{SPEC}serial: {{start: {start}}}\n"))
        for start in ("5ms", "5%")
    ]
    traces = SharedTraces(opened)
    found = [traces.reading_of(number)(opened[number]).trace.requests.serial for number in (0, 1)]
    assert found == [Serial(5_000, 0, 0, 0), Serial(0, 50_000, 0, 0)]


def test_a_trace_is_let_go_after_its_last_use(toy, reads):
    opened = open_kind(str(toy))
    traces = SharedTraces([opened, opened])
    for number in (0, 1, 0):
        traces.reading_of(number)
    assert reads == {"toy.csv": 2}


def test_what_stops_a_reading_stops_each_variant_also_in_another_process(tmp_path, toy, reads):
    (tmp_path / "toy.csv").unlink()
    opened = open_kind(str(toy))
    traces = SharedTraces([opened, opened])
    for number in (0, 1):
        read = pickle.loads(pickle.dumps(traces.reading_of(number)))
        with pytest.raises(TailcError) as refused:
            read(opened)
        assert refused.value.findings[0].code is Code.CANNOT_READ
    assert reads == {"toy.csv": 1}


def test_a_trace_travels_to_another_process(toy):
    opened = open_kind(str(toy))
    traces = SharedTraces([opened, opened])
    read = pickle.loads(pickle.dumps(traces.reading_of(0)))
    found, there = read(opened), traces.reading_of(1)(opened)
    assert found.trace.requests.demand_ms.tolist() == there.trace.requests.demand_ms.tolist()
    assert replace(found, trace=there.trace) == there
