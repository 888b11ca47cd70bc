"""Text at the limits of its readers: long cells, stray line ends, deep values, many columns."""

import gzip

import pytest

from tailc.errors import Code, Severity, TailcError
from tailc.lint.lint import lint
from tailc.lint.roles import TraceOptions
from tailc.traces import expansion
from tailc.traces.series import table_series
from tailc.traces.source import HEAD_BYTES, open_source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import cells_of, table_of

# A cell that the csv module refuses, which is at most 131,072 characters by default.
LONG = "a" * 131_073


def found_in(folder, text, name="x.csv"):
    path = folder / name
    path.write_bytes(text.encode())
    return lint(str(path), TraceOptions())


def codes(linted):
    return [one.code.ident for one in linted.findings]


@pytest.mark.parametrize(
    "text",
    [
        f"demand_ms,note\n1,b\n2,{LONG}\n",
        f"demand_ms,note\n1,{LONG}\n2,b\n",
        f'demand_ms,note\n1,b\n2,"{LONG}"\n',
        f"note,demand_ms\nb,1\n{LONG},2\n",
        f"note;demand_ms\nb;1\n{LONG};2\n",
    ],
)
def test_a_long_cell_is_a_cell(tmp_path, text):
    linted = found_in(tmp_path, text)
    assert linted.rows == 2
    assert not any(one.code.exit_code for one in linted.findings)


@pytest.mark.parametrize(
    "text",
    [
        "demand_ms,note\n1,b\n2,a\rb\n",
        "demand_ms,note\n1,a\rb\n2,b\n",
        "note,demand_ms\nb,1\na\rb,2\n",
        "demand_ms,no\rte\n1,b\n2,b\n",
    ],
)
def test_a_carriage_return_in_a_row_is_found_as_that(tmp_path, text):
    assert "TC1006" in codes(found_in(tmp_path, text))


def nested(opening, depth):
    return {"[": "[" * depth + "]" * depth, "{": '{"a":' * depth + "1" + "}" * depth}[opening]


# The decoder of JSON stops at a depth of about 1000, its encoder before that.
@pytest.mark.parametrize("depth", [700, 950, 1_100, 100_000])
@pytest.mark.parametrize(
    "line",
    [
        '{"demand_ms": -2, "status": %s}\n',
        '{"demand_ms": 1}\n{"demand_ms": %s}\n',
        '{"demand_ms": 1, "x": "\\ud800", "status": %s}\n',
        '[{"demand_ms": 1, "status": %s}]\n',
    ],
)
def test_deep_values_are_refused_by_their_line(tmp_path, depth, line):
    linted = found_in(tmp_path, line % nested("{", depth), "x.json")
    assert linted.exit_code.value == 65
    assert Code.BROKEN_FORMAT in [one.code for one in linted.findings]
    assert all(one.help for one in linted.findings)


@pytest.mark.parametrize("depth", [985, 1_100, 100_000])
def test_deep_lists_are_refused_or_passed_over(tmp_path, depth):
    text = '{"demand_ms": 1, "x": "\\ud800", "y": ' + nested("[", depth) + "}\n"
    assert found_in(tmp_path, text, "x.json").exit_code.value == 65


def test_values_that_are_not_wanted_may_be_deep(tmp_path):
    text = '{"demand_ms": 1}\n{"demand_ms": 2, "x": ' + nested("[", 900) + "}\n"
    assert found_in(tmp_path, text, "x.json").rows == 2


@pytest.mark.parametrize(
    ("names", "code"),
    [
        ([f"c{number}" for number in range(50_000)], "TC1028"),
        (["demand_ms", *(f"c{number}" for number in range(50_000))], "TC1201"),
        (["demand_ms", *["c"] * 50_000], "TC0203"),
    ],
)
def test_many_columns_are_looked_at(tmp_path, names, code):
    text = ",".join(names) + "\n" + (",".join("1" for _ in names) + "\n") * 2
    assert code in codes(found_in(tmp_path, text))


def test_a_header_that_is_longer_than_what_is_read_of_it_is_refused(tmp_path):
    names = ",".join(f"column{number}" for number in range(HEAD_BYTES // 10))
    linted = found_in(tmp_path, f"{names}\n")
    assert codes(linted) == [Code.TRACE_TOO_LARGE.ident]


def test_a_wide_file_names_columns_that_are_missing(tmp_path):
    path = tmp_path / "x.csv"
    names = [f"c{number}" for number in range(1_000)]
    path.write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    with open_source(str(path)) as source:
        wanted = ColumnsToRead(("c0",), ("c999",), ("c1",))
        cells = cells_of(table_of(source, wanted, "csv"), wanted)
        assert cells.columns.keys() >= {"c0", "c999"}
        with pytest.raises(TailcError):
            table_of(source, ColumnsToRead(("c1000",), (), ()), "csv")


def swollen(folder, monkeypatch, header, *rows):
    """What is found in rows that need far more memory than their file has bytes."""
    monkeypatch.setattr(expansion, "FREE_BYTES", 1 << 10)
    path = folder / "x.csv.gz"
    text = header + "\n" + "\n".join(rows)
    path.write_bytes(gzip.compress(text.encode()))
    return lint(str(path), TraceOptions())


def test_of_rows_that_memory_should_not_hold_the_demands_are_checked(tmp_path, monkeypatch):
    linted = swollen(tmp_path, monkeypatch, "demand_ms,id", *["1.5,1", "2,2"] * 5_000, "900,3")
    assert linted.rows == 10_001
    found = {one.code.ident: one for one in linted.findings}
    part = found[Code.TRACE_TOO_LARGE.ident]
    assert part.severity is Severity.WARNING
    assert part.message.endswith("only `demand_ms` is checked, without its order")
    assert found["TC1208"].place.row is None


def test_a_bad_demand_is_found_in_rows_that_memory_should_not_hold(tmp_path, monkeypatch):
    linted = swollen(tmp_path, monkeypatch, "demand_ms,id", *["1.5,1"] * 10_000, "fast,2")
    (finding,) = (one for one in linted.findings if one.code is Code.NOT_A_NUMBER)
    assert (finding.place.row, linted.exit_code) == (10_001, 65)


def test_rows_without_a_demand_that_memory_should_not_hold_are_refused(tmp_path, monkeypatch):
    linted = swollen(tmp_path, monkeypatch, "time_s,class", *["1.5,a"] * 10_000)
    assert Code.TRACE_TOO_LARGE in [one.code for one in linted.findings]
    assert linted.exit_code == 65


SERIES = [f"r{at}_power_kw" for at in range(40)]


def series(folder, *changed, header=SERIES):
    lines = ["time," + ",".join(header)]
    for hour in range(24):
        cells = dict.fromkeys(header, f"{hour}.5") | dict(changed if hour == 7 else ())
        lines.append(f"2026-01-01T{hour:02}:00:00Z," + ",".join(cells[name] for name in header))
    return found_in(folder, "\n".join(lines) + "\n")


def test_a_table_of_many_series_is_read_once(tmp_path, monkeypatch):
    readings = []
    read = table_series.kept_cells
    monkeypatch.setattr(
        table_series, "kept_cells", lambda *what: readings.append(what) or read(*what)
    )
    linted = series(tmp_path)
    assert (len(readings), linted.rows, len(linted.looked_at)) == (1, 24, 41)


def test_a_bad_cell_of_one_series_leaves_the_others(tmp_path):
    linted = series(tmp_path, ("r3_power_kw", "much"))
    found = {(one.code, one.place.row, one.place.field) for one in linted.findings}
    assert (Code.NOT_A_NUMBER, 8, "r3_power_kw") in found
    assert linted.rows == 24


def test_a_series_whose_name_stands_twice_leaves_the_others(tmp_path):
    linted = series(tmp_path, header=[*SERIES, SERIES[0]])
    assert Code.DUPLICATE_COLUMN in [one.code for one in linted.findings]
    assert linted.rows == 24


WIDE = 100_000


def wide(name, cell="1"):
    """A table with 100,000 columns, each called so with its number, and one of demands."""
    header = ",".join((*map(name.format, range(WIDE)), "demand_ms"))
    return f"{header}\n" + "".join(f"{f'{cell},' * WIDE}{row}\n" for row in (5, 9))


@pytest.mark.parametrize(
    ("text", "told", "most"),
    [
        (wide("c{}"), [], 0),
        (wide("c{}", '"1"'), ["TC1110"], 1),
        (wide(""), ["TC0203", "TC1022"], 22),
        (wide("c{} "), ["TC1021"], 20),
    ],
)
def test_100000_columns_have_a_few_findings(tmp_path, text, told, most):
    linted = found_in(tmp_path, text)
    assert sorted(set(codes(linted))) == told
    assert len(linted.findings) <= most


def test_the_last_finding_of_many_says_how_many_follow(tmp_path):
    header = "," * 50 + "demand_ms"
    every = found_in(tmp_path, f"{header}\n{'1,' * 50}5\n").findings
    found = [one for one in every if "has no name" in one.message]
    tells_more = [one.message.endswith("; 30 more are the same") for one in found]
    assert tells_more == [False] * 19 + [True]


@pytest.mark.parametrize(("first", "form"), [("time", "a{}_pv_kw"), ("demand_ms", "speedup_{}")])
def test_more_columns_than_are_checked_are_refused(tmp_path, first, form):
    names = (first, *(form.format(n) for n in range(1, 10_002)))
    (found,) = found_in(tmp_path, ",".join(names) + "\n").findings
    assert found.code is Code.TRACE_TOO_LARGE
    assert "at most 10,000 are checked" in found.message


def test_names_that_all_stand_twice_are_found_in_linear_time(tmp_path):
    names = [f"c{n}" for n in range(20_000)] * 2
    found = found_in(tmp_path, ",".join(names) + "\n" + ",".join(["1"] * len(names)) + "\n")
    assert codes(found).count("TC0203") == 20_000
