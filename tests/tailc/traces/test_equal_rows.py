"""Equal rows that are merged as they are read give what rows that are held give."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.traces import expansion, parquet_table
from tailc.traces.demand_log import as_drawn
from tailc.traces.parquet_profile import written_profile
from tailc.traces.profile import DemandProfile, Measure
from tailc.traces.reading import Curve, SplitBy, SplitRule
from tailc.traces.source import open_source
from tailc.traces.split import held_out_mask, split_profile
from tailc.traces.trace import Trace, read_trace, trace_by_row
from tests.tailc.traces.making import reading, refused
from tests.tailc.traces.parquet_readings import reading_of

ROWS = 3_000
RNG = np.random.default_rng(5)
COLUMNS = {
    "demand": RNG.choice([0.5, 1.25, 3.0, 100.0], ROWS),
    "n": RNG.choice([1, 3], ROWS),
    "memory": RNG.choice([0.0, 0.25], ROWS),
    "s1": np.ones(ROWS),
    "s2": RNG.choice([1.5, 1.75, 1.9], ROWS),
    "kind": RNG.choice(["web", "batch"], ROWS).tolist(),
    "when": np.arange(ROWS) // 400,
    "id": (np.arange(ROWS) % 7).astype(str).tolist(),
}
CLASSES = (Curve("web", (1_000_000, 1_500_000)), Curve("batch", (1_000_000, 1_900_000)))
READINGS = {
    "demands": {},
    "weights": {"weight": "n"},
    "memory": {"memory": "memory"},
    "own curves": {"curves": (), "speedup_columns": ("s1", "s2"), "weight": "n"},
    "classes": {"curves": CLASSES, "class_column": "kind"},
    "some rows": {"where": (("kind", "web"),)},
    "bins": {"weight": "n", "bin_us": 1_000},
}
RULES = {
    "time": SplitRule(SplitBy.TIME, 200_000, "when"),
    "hash": SplitRule(SplitBy.HASH, 300_000, "id"),
    "seed": SplitRule(SplitBy.SEED, 300_000, seed=7),
}


@pytest.fixture
def merging(monkeypatch):
    """Rows are merged from 1 KiB of them on, in batches of 500."""

    def begin():
        monkeypatch.setattr(expansion, "FREE_BYTES", 1 << 10)
        monkeypatch.setattr("tailc.traces.trace.TIMES_HELD", 0)
        monkeypatch.setattr(parquet_table, "BATCH_ROWS", 500)
        monkeypatch.setattr(parquet_table, "NUMBER_ROWS", 500)

    return begin


def parquet(folder, columns=COLUMNS) -> str:
    path = folder / "trace.parquet"
    pq.write_table(pa.table(columns), path)
    return str(path)


@pytest.mark.parametrize("rule", [None, *RULES.values()], ids=["whole", *RULES])
@pytest.mark.parametrize("changes", READINGS.values(), ids=READINGS)
def test_merged_rows_have_the_digests_of_the_rows(tmp_path, merging, changes, rule):
    recipe, path = reading(**changes, split=rule), parquet(tmp_path)
    held = read_trace(path, recipe)
    merging()
    merged = read_trace(path, recipe)
    assert (held.requests.repeats, len(merged.requests.demand_ms) < 200) == (None, True)
    assert (merged.requests.rows, merged.profile.digest) == (
        held.requests.rows,
        held.profile.digest,
    )
    assert merged.requests.total_weight == held.requests.total_weight
    assert merged.warnings == held.warnings
    if rule is not None:
        parts = zip(split_profile(merged, rule), split_profile(held, rule), strict=True)
        assert all(one.digest == other.digest for one, other in parts)


@pytest.mark.parametrize("changes", READINGS.values(), ids=READINGS)
def test_parts_of_merged_rows_are_written_row_by_row(tmp_path, merging, changes):
    merging()
    merged = read_trace(parquet(tmp_path), reading(**changes, split=RULES["time"]))
    part, _rest = split_profile(merged, RULES["time"])
    path = tmp_path / "part.parquet"
    path.write_bytes(written_profile(part))
    recipe = reading_of(str(path))
    assert pq.read_metadata(path).num_rows == part.rows
    assert read_trace(str(path), recipe).profile.digest == part.digest


def test_text_is_merged_as_numbers_are(tmp_path, merging):
    path = tmp_path / "trace.csv"
    lines = (
        f"{demand},{at}" for demand, at in zip(COLUMNS["demand"], COLUMNS["when"], strict=True)
    )
    path.write_text("demand,when\n" + "\n".join(lines))
    recipe = reading(split=RULES["time"])
    held = split_profile(read_trace(str(path), recipe), RULES["time"])
    merging()
    merged = split_profile(read_trace(str(path), recipe), RULES["time"])
    assert [part.digest for part in merged] == [part.digest for part in held]


def test_a_log_is_drawn_from_by_the_weights_of_its_rows(tmp_path, merging):
    path = parquet(tmp_path, {"demand": COLUMNS["demand"], "n": np.full(ROWS, 100)})
    held = as_drawn(read_trace(path, reading(weight="n")))
    merging()
    merged = as_drawn(read_trace(path, reading(weight="n")))
    assert merged.requests.total_weight == held.requests.total_weight == ROWS


def test_rows_are_held_where_their_order_matters(tmp_path, merging):
    path = parquet(tmp_path)
    merging()
    with open_source(path) as source:
        by_row = trace_by_row(source, reading())
    assert by_row.requests.demand_ms.tolist() == COLUMNS["demand"].tolist()


def test_a_bad_cell_is_named_by_its_row(tmp_path, merging):
    demand = COLUMNS["demand"].copy()
    demand[2_500] = -1
    path = parquet(tmp_path, {"demand": demand})
    merging()
    (finding,) = refused(path, reading())
    assert (finding.code.name, finding.place.row) == ("NOT_POSITIVE", 2_501)


def test_weights_whose_sum_is_not_exact_are_refused(tmp_path, merging):
    path = parquet(tmp_path, {"demand": np.ones(ROWS), "n": np.full(ROWS, 2**50)})
    merging()
    (finding,) = refused(path, reading(weight="n"))
    assert "the weights add up to" in finding.message


def test_times_of_two_kinds_are_refused(tmp_path, merging):
    when = ["2026-01-01"] * 2_000 + ["17"] * 1_000
    path = parquet(tmp_path, {"demand": COLUMNS["demand"], "when": when})
    merging()
    (finding,) = refused(path, reading(split=RULES["time"]))
    assert (finding.code.name, finding.place.row) == ("NOT_A_NUMBER", 2_001)
    assert finding.message.startswith(
        "cell `17` has the type `double`, but earlier times have `timestamp[ns]`"
    )


def test_whole_times_and_fractions_are_one_kind(tmp_path, merging):
    when = ["1"] * 1_500 + ["2.5"] * 1_500
    path = parquet(tmp_path, {"demand": COLUMNS["demand"], "when": when})
    merging()
    _design, held_out = split_profile(read_trace(path, reading(split=RULES["time"])), RULES["time"])
    assert held_out.rows == 1_500


@settings(derandomize=True, deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 5)), min_size=1, max_size=8),
    st.integers(1, 999_999),
)
def test_the_latest_rows_are_held_out_as_if_none_was_merged(records, fraction_ppm):
    repeats = np.array([number for number, _at in records])
    times = np.array([at for _number, at in records])
    rule = SplitRule(SplitBy.TIME, fraction_ppm, "when")
    rows = np.repeat(times, repeats)
    merged = held_out_mask(trace_of(times, repeats), rule)
    assert np.repeat(merged, repeats).tolist() == held_out_mask(trace_of(rows), rule).tolist()


def trace_of(times, repeats=None) -> Trace:
    records = len(times)
    weight = np.ones(records, np.int64) if repeats is None else repeats
    curve, measured = np.array([[1.0]]), (Measure.DEMAND_BUSY, "one core")
    of = np.zeros(records, np.int32)
    profile = DemandProfile(np.ones(records), weight, curve, of, (), *measured, repeats=repeats)
    return Trace(profile, times, ())
