import os
from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.pipeline.compile import compile_policy
from tailc.studies.held_out import read_held_out
from tailc.studies.split import split_spec
from tailc.traces.arrivals import ArrivalColumn, GapTreatment, arrivals_in
from tailc.traces.reading import TimeUnit
from tailc.traces.source import open_source
from tests.tailc.toy import with_lines, write_toy
from tests.tailc.traces.making import reading

S = 10**9
AT = ArrivalColumn("at", TimeUnit.S)
DEMANDS_MS = [10 + i * i % 97 for i in range(300)]
TRACE = "request,demand_ms,at\n" + "".join(
    f"{i},{demand},{1000 + i // 2}\n" for i, demand in enumerate(DEMANDS_MS)
)


def compiled(folder, held_out="", trace=TRACE):
    """The policy and the spec of a toy with `at` seconds in every row."""
    changes = [("reference: one thread", f"reference: one thread\n  {held_out}")] * bool(held_out)
    spec = write_toy(folder, with_lines(*changes), trace)
    return compile_policy(spec).policy, spec


def test_each_arrival_brings_its_own_record(tmp_path):
    policy, _ = compiled(tmp_path)
    (tmp_path / "other.csv").write_text("demand_ms,at\n5,10\n70,10\n6,13\n")
    found = read_held_out(policy, str(tmp_path / "other.csv"), arrivals=AT)
    assert found.recorded is not None
    assert found.recorded.times_ns.tolist() == [0, 0, 3 * S]
    assert found.recorded.record_of is not None
    demands = found.profile.demand_ms[found.recorded.record_of]
    assert demands.tolist() == [5, 70, 6]
    assert found.recorded.name == "recorded `at`"


def test_without_a_column_nothing_is_recorded(tmp_path):
    policy, _ = compiled(tmp_path)
    (tmp_path / "other.csv").write_text("demand_ms\n5\n70\n")
    assert read_held_out(policy, str(tmp_path / "other.csv")).recorded is None


def test_a_part_held_out_by_time_keeps_its_stream(tmp_path):
    policy, _ = compiled(tmp_path, "held_out: {fraction: 20%, by: time, column: at}")
    found = read_held_out(policy, str(tmp_path / "toy.csv"), arrivals=AT)
    assert found.recorded is not None
    assert found.recorded.times_ns.tolist() == [i // 2 * S for i in range(60)]
    assert found.profile.demand_ms.tolist() == DEMANDS_MS[-60:]
    assert not found.warnings


def test_a_part_held_out_by_hash_is_a_thinner_stream_and_says_so(tmp_path):
    policy, _ = compiled(tmp_path, "held_out: {fraction: 25%, by: hash, column: request}")
    found = read_held_out(policy, str(tmp_path / "toy.csv"), arrivals=AT)
    assert found.recorded is not None
    held_out = found.profile.total_weight
    assert len(found.recorded.times_ns) == held_out < 100
    (warning,) = found.warnings
    assert warning.code is Code.ARRIVALS_THINNED
    assert f"only {held_out} of the 300 recorded arrivals" in warning.message
    # 300 requests, two a second
    assert warning.help is not None
    assert warning.help.endswith("`--rescale 2.007/s`")
    rescaled = replace(AT, is_rescaled=True)
    assert not read_held_out(policy, str(tmp_path / "toy.csv"), arrivals=rescaled).warnings


def test_a_binned_request_arrives_as_its_bin(tmp_path):
    policy, _ = compiled(tmp_path, "bin: 10ms")
    (tmp_path / "other.csv").write_text("demand_ms,at\n12,0\n41,1\n18,2\n")
    found = read_held_out(policy, str(tmp_path / "other.csv"), arrivals=AT)
    assert found.recorded is not None
    assert found.recorded.record_of is not None
    # 12 and 18 share the bin from 10 to 20, at their mean
    assert found.profile.demand_ms[found.recorded.record_of].tolist() == [15, 41, 15]


def test_a_held_out_bin_is_that_of_the_part(tmp_path):
    policy, _ = compiled(tmp_path, "bin: 10ms\n  held_out: {fraction: 20%, by: time, column: at}")
    found = read_held_out(policy, str(tmp_path / "toy.csv"), arrivals=AT)
    assert found.recorded is not None
    assert found.recorded.record_of is not None
    arrived = found.profile.demand_ms[found.recorded.record_of]
    assert (np.abs(arrived - DEMANDS_MS[-60:]) < 10).all()
    assert abs(arrived.sum() - sum(DEMANDS_MS[-60:])) < 1e-3


def test_rows_that_stand_for_several_requests_are_refused(tmp_path):
    policy, _ = compiled(
        tmp_path, "weight: n", "request,demand_ms,n,at\n" + "1,50,2,1\n2,150,2,2\n"
    )
    (tmp_path / "other.csv").write_text("demand_ms,n,at\n5,1,10\n70,3,10\n6,1,13\n")
    with pytest.raises(TailcError) as refused:
        read_held_out(policy, str(tmp_path / "other.csv"), arrivals=AT)
    (finding,) = refused.value.findings
    assert finding.code is Code.NOT_SINGLE
    assert "column `n`" in finding.message


def test_a_part_that_split_wrote_has_no_times(tmp_path):
    _, spec = compiled(tmp_path, "held_out: {fraction: 20%, by: time, column: at}")
    policy, _ = compiled(tmp_path, "held_out: {fraction: 20%, by: time, column: at}")
    part = split_spec(spec, str(tmp_path / "part")).parts[1]
    with pytest.raises(TailcError) as refused:
        read_held_out(policy, str(part.path), arrivals=AT)
    (finding,) = refused.value.findings
    assert finding.code is Code.MISSING_COLUMN
    assert "whole trace" in (finding.help or "")


DATA = os.environ.get("TAILC_DATA")
measured = pytest.mark.skipif(not DATA, reason="TAILC_DATA does not name the public traces")


def measured_arrivals(file, column, **changes):
    with open_source(f"{DATA}/{file}") as source:
        return arrivals_in(source, reading(**changes), column)


@measured
def test_date_times_and_seconds_of_a_public_trace_agree():
    file = "azure-llm-2023/conv_compile.parquet"
    by_clock = measured_arrivals(file, ArrivalColumn("TIMESTAMP")).times_ns
    by_number = measured_arrivals(file, ArrivalColumn("arrival_s", TimeUnit.S)).times_ns
    assert len(by_clock) == 9_732
    assert abs(by_clock - by_number).max() <= 100
    # Its page says about half an hour
    assert abs(by_clock[-1] - 1_749.883 * S) < S


@measured
@pytest.mark.parametrize(
    ("file", "column"),
    [
        ("azure-llm-2023/code_compile.parquet", ArrivalColumn("TIMESTAMP")),
        (
            "microservice-requests/boutique_compile.parquet",
            ArrivalColumn("start_unix_ns", TimeUnit.NS),
        ),
    ],
)
def test_silences_of_public_traces_are_found_and_closed(file, column):
    with pytest.raises(TailcError) as refused:
        measured_arrivals(file, column)
    (finding,) = refused.value.findings
    assert finding.code is Code.ARRIVAL_GAP
    assert finding.place.row > 1
    closed = measured_arrivals(file, ArrivalColumn(column.name, column.unit, GapTreatment.CLOSE))
    kept = measured_arrivals(file, ArrivalColumn(column.name, column.unit, GapTreatment.KEEP))
    assert closed.times_ns[-1] < kept.times_ns[-1]
    assert [warning.code for warning in closed.warnings] == [Code.GAP_CLOSED]
    assert not kept.warnings


@measured
def test_a_minute_of_a_public_trace_has_no_silence():
    column = ArrivalColumn("start_unix_ns", TimeUnit.NS)
    found = measured_arrivals("microservice-requests/boutique_faultfree.parquet", column)
    assert len(found.times_ns) == 502
    assert found.times_ns[-1] < 60 * S
