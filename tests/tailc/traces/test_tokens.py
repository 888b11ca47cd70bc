"""Requests to a language model, and measured iterations, from files."""

from __future__ import annotations

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    Rows,
    SplitBy,
    SplitRule,
    TimeUnit,
    TokenColumns,
    TokensReading,
    ValueMeaning,
)
from tailc.traces.step_rows import StepRowColumns, read_step_rows
from tailc.traces.tokens import read_tokens, split_tokens
from tailc.traces.tokens_written import written_tokens

HEAD = "time,prompt,output,cached\n"
ROWS = [f"{n}.5,{100 + n},{1 + n % 7},{n % 3}" for n in range(40)]


def reading(split_ppm=None, cached="cached", unit=TimeUnit.S):
    rule = None if split_ppm is None else SplitRule(SplitBy.TIME, split_ppm, "time")
    columns = TokenColumns("time", "prompt", "output", cached)
    return TokensReading(ValueMeaning(Measure.TOKENS, "kit", unit), Rows((), rule), columns)


def written(folder, rows, head=HEAD):
    path = folder / "trace.csv"
    path.write_text(head + "\n".join(rows) + "\n")
    return str(path)


def test_requests_are_in_order_of_arrival_whatever_the_order_of_rows(tmp_path):
    trace = read_tokens(written(tmp_path, ROWS), reading())
    again = read_tokens(written(tmp_path, ROWS[::-1]), reading())
    assert trace.digest == again.digest
    assert (trace.requests, trace.rate_mrps) == (40, 1_000)
    assert trace.arrival_us[:2].tolist() == [0, 1_000_000]
    assert again.row[0] == 40
    assert trace.arrival_ns(2_000)[1] == 500_000_000


def test_classes_and_priorities_follow_their_rows(tmp_path):
    head = "time,prompt,output,kind,urgency\n"
    rows = [f"{n},10,3,{'ab'[n % 2]},{n % 3 - 1}" for n in range(40)]
    columns = TokenColumns("time", "prompt", "output", None, "kind", "urgency")
    of_all = TokensReading(ValueMeaning(Measure.TOKENS, "kit", TimeUnit.S), Rows((), None), columns)
    trace = read_tokens(written(tmp_path, rows[::-1], head), of_all)
    assert trace.request_class.tolist() == ["a", "b"] * 20
    assert trace.priority.tolist()[:4] == [-1, 0, 1, -1]
    assert trace.part(slice(1, 3)).request_class.tolist() == ["b", "a"]
    (tmp_path / "again.parquet").write_bytes(written_tokens(trace))
    assert read_tokens(str(tmp_path / "again.parquet"), of_all).digest == trace.digest
    assert trace.digest != read_tokens(written(tmp_path, rows, head), reading(cached=None)).digest
    with pytest.raises(TailcError, match="is not a whole number"):
        read_tokens(written(tmp_path, [*rows, "50,10,3,a,0.5"], head), of_all)


def test_the_last_token_of_a_prompt_is_computed_in_any_case(tmp_path):
    rows = [f"{n},10,3,10" for n in range(20)]
    assert set(read_tokens(written(tmp_path, rows), reading()).cached) == {9}
    assert set(read_tokens(written(tmp_path, rows), reading(cached=None)).cached) == {0}


@pytest.mark.parametrize(
    ("row", "code", "column"),
    [
        ("x,10,3,0", Code.NOT_A_NUMBER, "time"),
        ("1,0,3,0", Code.NOT_POSITIVE, "prompt"),
        ("1,1.5,3,0", Code.OUT_OF_RANGE, "prompt"),
        ("1,10,0,0", Code.NOT_POSITIVE, "output"),
        ("1,10,,0", Code.NOT_A_NUMBER, "output"),
        ("1,10,3,11", Code.OUT_OF_RANGE, "cached"),
        ("1,10,3,-1", Code.NOT_POSITIVE, "cached"),
        ("1,99999999,3,0", Code.OUT_OF_RANGE, "prompt"),
    ],
)
def test_a_bad_cell_is_refused_with_its_place(tmp_path, row, code, column):
    with pytest.raises(TailcError) as caught:
        read_tokens(written(tmp_path, [*ROWS[:5], row, *ROWS[5:]]), reading())
    (finding,) = caught.value.findings
    assert (finding.code, finding.place.row, finding.place.field) == (code, 6, column)


@pytest.mark.parametrize("rows", [ROWS[:19], ["1,10,3,0"] * 30])
def test_requests_without_a_rate_are_refused(tmp_path, rows):
    with pytest.raises(TailcError) as caught:
        read_tokens(written(tmp_path, rows), reading())
    assert caught.value.findings[0].code is Code.EMPTY_TRACE


def test_the_latest_requests_are_held_out_and_both_parts_read_back(tmp_path):
    design, held_out = split_tokens(read_tokens(written(tmp_path, ROWS), reading(500_000)))
    assert (design.requests, held_out.requests) == (20, 20)
    assert held_out.arrival_us[0] == 0
    path = tmp_path / "part.parquet"
    path.write_bytes(written_tokens(held_out))
    assert read_tokens(str(path), reading()).digest == held_out.digest
    with pytest.raises(TailcError) as caught:
        split_tokens(read_tokens(written(tmp_path, ROWS), reading(100_000)))
    assert caught.value.findings[0].code is Code.BAD_SPLIT


STEP_HEAD = "prompt,decoding,context,time\n"
STEPS = [f"{p},{d},{100 * d},{5 + p / 10 + d}" for p in (0, 64) for d in (1, 2, 4)]
COLUMNS = StepRowColumns("prompt", "decoding", "context", "time")


def test_iterations_are_read_in_nanoseconds(tmp_path):
    rows = read_step_rows(written(tmp_path, STEPS, STEP_HEAD), COLUMNS, TimeUnit.MS)
    assert rows.time_ns[0] == 6_000_000
    assert rows.context.tolist() == [100, 200, 400] * 2


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("0,0,0,5", Code.OUT_OF_RANGE),
        ("1,1,1,0", Code.NOT_POSITIVE),
        ("0.5,1,1,1", Code.OUT_OF_RANGE),
        ("-1,1,1,1", Code.NOT_POSITIVE),
        ("1,1,1,99999", Code.OUT_OF_RANGE),
    ],
)
def test_a_bad_iteration_is_refused(tmp_path, row, code):
    with pytest.raises(TailcError) as caught:
        read_step_rows(written(tmp_path, [*STEPS, row], STEP_HEAD), COLUMNS, TimeUnit.MS)
    assert [finding.code for finding in caught.value.findings] == [code]


def test_a_profile_of_few_iterations_is_refused(tmp_path):
    with pytest.raises(TailcError) as caught:
        read_step_rows(written(tmp_path, STEPS[:4], STEP_HEAD), COLUMNS, TimeUnit.MS)
    assert caught.value.findings[0].code is Code.EMPTY_TRACE
