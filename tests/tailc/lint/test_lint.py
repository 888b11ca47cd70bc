"""Every defect is found where it was put, and in clean traces none."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tailc.cli.lint_trace_command import command
from tailc.lint.lint import lint
from tailc.lint.registry import OF_READERS, find_defects
from tailc.lint.roles import TraceOptions
from tests.tailc.lint import seeded, seeded_others
from tests.tailc.lint.seeded import Seed
from tests.tailc.schemas import validate

REPORTS = Path(__file__).parents[3] / "schemas" / "report"
OUTPUT = json.loads((REPORTS / "output-1.schema.json").read_text())
LINTED = json.loads((REPORTS / "lint-1.schema.json").read_text())
CLEAN = seeded.CLEAN | seeded_others.CLEAN
SEEDED = seeded.SEEDED | seeded_others.SEEDED
DEFECTS = {defect.ident: defect for defect in find_defects()}

# The line of the file and the row where the seeds put the defect.
PLACES = {
    "TC1001": (1, None),
    "TC1003": (2, None),
    "TC1004": (7, None),
    "TC1005": (1002, None),
    "TC1007": (7, None),
    "TC1008": (2, None),
    "TC1009": (62, None),
    "TC1010": (62, None),
    "TC1011": (1, None),
    "TC1013": (62, None),
    "TC1015": (2, None),
    "TC1101": (7, 6),
    "TC1103": (7, 6),
    "TC1108": (7, 6),
    "TC1208": (7, 6),
    "TC1210": (2, 1),
    "TC1301": (1002, 1001),
    "TC1302": (1002, 1001),
    "TC1303": (60, 59),
    "TC1304": (60, 59),
    "TC1401": (503, 502),
    "TC1402": (502, 501),
    "TC1404": (902, 901),
    "TC1405": (9, 8),
    "TC1423": (61, 60),
    "TC1424": (52, 51),
    "TC1704": (82, 81),
    "TC1705": (103, 102),
    "TC1706": (62, 61),
    "TC1801": (102, 101),
    "TC1803": (152, 151),
    "TC1807": (201, 200),
    "TC1808": (63, None),
    "TC1902": (9, 8),
    "TC0261": (8, None),
    "TC0262": (3, None),
    "TC0204": (7, 6),
    "TC0207": (7, 6),
    "TC0270": (60, 59),
}


def linted(tailc, folder: Path, seed: Seed, *options: str):
    """The exit code and the document that the command prints of a seed."""
    (folder / seed.name).write_bytes(seed.content)
    words = (*seed.options, *options)
    ended = tailc("lint-trace", folder / seed.name, *words, "--output-format", "json")
    document = json.loads(ended.out)
    validate(document, OUTPUT)
    validate(document["result"], LINTED)
    return ended.code, document


def test_there_are_sixty_classes_and_a_seed_of_each():
    assert len(DEFECTS) >= 60
    assert len({defect.name for defect in DEFECTS.values()}) == len(DEFECTS)
    assert set(SEEDED) == {*DEFECTS, *(code.ident for code in OF_READERS)}


def has_named_command(hint: str) -> bool:
    """Whether the options in a hint are those of lint, or of the command that it names."""
    own = {option for one in command.params for option in one.opts}
    return set(re.findall(r"`(--[a-z-]+)", hint)) <= own or "`tailc " in hint


@pytest.mark.parametrize("ident", sorted(SEEDED))
def test_a_seeded_defect_is_found(tailc, tmp_path, ident):
    code, document = linted(tailc, tmp_path, SEEDED[ident])
    found = {one["code"]: one for one in document["findings"]}
    assert ident in found, sorted(found)
    assert found[ident]["source"]
    assert found[ident]["help"]
    assert all(has_named_command(one["help"]) for one in document["findings"])
    errors = [one for one in document["findings"] if one["severity"] == "error"]
    assert code == (65 if errors else 0)
    if ident in DEFECTS:
        assert found[ident]["severity"] == DEFECTS[ident].severity.value
    if ident in PLACES:
        assert (found[ident]["line"], found[ident]["row"]) == PLACES[ident]


FAINT = {
    "a timeout that a timer rounds up": (
        "TC1202",
        seeded.demands(np.minimum(seeded.DEMAND, 45 + seeded.GAPS.clip(0, 0.4)).round(6)),
    ),
    "one in a hundred in microseconds": (
        "TC1207",
        seeded.demands(np.where(np.arange(1000) % 100 == 7, 1e3, 1) * seeded.DEMAND.clip(3)),
    ),
    "every other one in seconds": (
        "TC1207",
        seeded.demands(np.where(np.arange(1000) % 2, 1e-3, 1) * seeded.DEMAND.clip(3)),
    ),
    "a status in words": (
        "TC0270",
        seeded.demands(seeded.DEMAND, status=["OK", "Timed out", "ok", "CANCELLED"] * 250),
    ),
}


@pytest.mark.parametrize("name", FAINT)
def test_a_defect_is_found_where_it_is_faint(tailc, tmp_path, name):
    ident, seed = FAINT[name]
    found = {one["code"] for one in linted(tailc, tmp_path, seed)[1]["findings"]}
    assert ident in found


@pytest.mark.parametrize(
    "columns", ["class;demand_ms", "time_ms;demand_ms", "id;demand_ms;service_ms"]
)
@pytest.mark.parametrize("mark", ";\t|")
def test_numbers_with_decimal_commas_are_checked_as_those_with_points(
    tailc, tmp_path, columns, mark
):
    """Only the notes on delimiters and commas differ, and no defect depends on the marks."""
    cells = np.round(seeded.DEMAND[:400], 3)
    rows = [
        ";".join([str(at), *[f"{cell:.3f}"] * columns.count(";")]) for at, cell in enumerate(cells)
    ]
    points = "\n".join([columns, *rows, ""]).replace(";", mark)
    commas = points.replace(".", ",")

    def codes(content: str) -> set[str]:
        seed = Seed("t.csv", content.encode(), ("--column", "demand_ms", "--unit", "ms"))
        return {one["code"] for one in linted(tailc, tmp_path, seed)[1]["findings"]}

    assert codes(commas) == codes(points) | {"TC1015"}


def test_a_column_that_is_called_by_its_zone_is_not_asked_for_one(tailc, tmp_path):
    shifted = SEEDED["TC1601"]
    named = Seed(shifted.name, shifted.content.replace(b"time", b"utc_hour", 1))
    assert named.content.startswith(b"utc_hour,")
    found = {one["code"] for one in linted(tailc, tmp_path, named)[1]["findings"]}
    assert "TC1601" not in found


def test_a_list_of_json_is_told_as_such_and_as_nothing_else(tailc, tmp_path):
    code, document = linted(tailc, tmp_path, SEEDED["TC1014"])
    assert [one["code"] for one in document["findings"]] == ["TC1014"]
    assert code == 0


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_trace_has_no_findings(tailc, tmp_path, name):
    code, document = linted(tailc, tmp_path, CLEAN[name])
    assert document["findings"] == []
    assert code == 0


def test_a_demand_that_the_number_of_requests_lengthens_is_no_clean_one(tailc, tmp_path):
    """The same arrivals and demands, with and without the waiting that a queue adds."""
    codes = [
        {one["code"] for one in linted(tailc, tmp_path, seed)[1]["findings"]}
        for seed in (CLEAN["requests"], SEEDED["TC1411"], SEEDED["TC1412"])
    ]
    assert codes[0] == set()
    assert {"TC1411", "TC1412"} <= codes[1]
    assert "TC1412" in codes[2]
    assert "TC1411" not in codes[2]


def test_arrivals_that_come_together_or_were_not_recorded_were_not_left_out(tailc, tmp_path):
    """A clock that ticks by minutes, bursts, and requests that go on after the last arrival."""
    ticks, after = np.floor(seeded.ARRIVAL / 60) * 60, seeded.DEMAND + 1e7
    bursts = ticks + np.arange(1000) % 50 * 1e-3
    kinds = seeded.recorded(ticks), seeded.recorded(np.sort(bursts)), seeded.recorded(demand=after)
    for seed in kinds:
        found = {one["code"] for one in linted(tailc, tmp_path, seed)[1]["findings"]}
        assert "TC1410" not in found


@pytest.mark.parametrize("word", ["TC1103", "unit-in-cell", "tc1103"])
def test_what_is_ignored_is_not_told(tailc, tmp_path, word):
    seed = SEEDED["TC1103"]
    _code, document = linted(tailc, tmp_path, seed, "--ignore", word)
    assert {one["code"] for one in document["findings"]} == {"TC0204"}


def test_a_code_that_does_not_exist_cannot_be_ignored(tailc, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(CLEAN["requests"].content)
    ended = tailc("lint-trace", path, "--ignore", "TC9999")
    assert ended.code == 64
    assert "no code `TC9999`" in ended.err


def test_a_file_that_is_not_there_is_told_beside_the_others(tailc, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(CLEAN["requests"].content)
    ended = tailc("lint-trace", tmp_path / "gone.csv", path)
    assert ended.code == 66
    assert "TC0701" in ended.err
    assert "1,000 rows" in ended.out


def test_a_finding_has_its_line_in_sarif_and_for_workflows(tailc, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(SEEDED["TC1103"].content)
    (run,) = json.loads(tailc("lint-trace", path, "--output-format", "sarif").out)["runs"]
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert rules["TC1103"]["fullDescription"]["text"] == DEFECTS["TC1103"].explanation
    (result,) = [one for one in run["results"] if one["ruleId"] == "TC1103"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 7, "snippet": {"text": "45ms"}}
    note = SEEDED["TC1001"]
    path.write_bytes(note.content)
    line = tailc("lint-trace", path, "--output-format", "github").out.splitlines()[0]
    assert line.startswith("::notice file=")
    assert "line=1," in line


def test_a_quoted_line_break_makes_two_lines_of_a_row(tailc, tmp_path):
    seed = Seed("t.csv", b'class,demand_ms\n"a\nb",5\nc,6ms\n')
    _code, document = linted(tailc, tmp_path, seed)
    (found,) = [one for one in document["findings"] if one["code"] == "TC1103"]
    assert (found["line"], found["row"]) == (4, 2)


@pytest.mark.parametrize("word", ["TC1206", "coarse-clock"])
def test_a_defect_is_explained_by_its_code_and_its_name(tailc, word):
    ended = tailc("explain", word)
    assert ended.code == 0
    assert "TC1206 (warning): demands are multiples of a coarse tick" in ended.out


def test_a_report_of_a_load_generator_is_looked_at_too(tailc, tmp_path):
    _code, document = linted(tailc, tmp_path, SEEDED["TC0269"], "--percentile", "99.999%")
    assert {one["code"] for one in document["findings"]} == {"TC0269", "TC0266"}


@pytest.mark.parametrize(
    ("columns", "options", "is_told"),
    [
        ("when,elapsed", (), True),
        ("time,status,request_time", (), True),
        ("Timestamp,50%,99%", (), True),
        ("time,status,request_time", ("--column", "request_time", "--unit", "s"), False),
        ("time,status,request_time", ("--time", "time", "--time-unit", "s"), False),
        ("time,status,request_s", (), False),
        ("arrival_s", (), False),
        ("arrival_s,status", (), False),
        ("time,solar_w", (), False),
        ("time,solar_w,cell", (), False),
        ("cycles,memory_us,core", (), False),
    ],
)
def test_only_a_table_of_other_columns_lacks_demands(tailc, tmp_path, columns, options, is_told):
    cells = ",".join("{}" for _ in columns.split(","))
    count = columns.count(",") + 1
    rows = (cells.format(*[row * 3600] * count) for row in range(1, 9))
    seed = Seed("t.csv", "\n".join([columns, *rows, ""]).encode(), options)
    _code, document = linted(tailc, tmp_path, seed)
    assert ("TC1029" in {one["code"] for one in document["findings"]}) == is_told


@pytest.mark.parametrize(
    ("head", "is_told"),
    [
        ("1431002449675|298|Home Page|200|true", True),
        ("a,1700000000,3.5", True),
        ("get;12;48123", True),
        (f"get,{'7' * 5000}", True),
        ("get,\u00b2\u00b2\u00b2\u00b2\u00b2", False),
        ("query,1,2,4", False),
        ("Name,50,95,99.9", False),
        ("site,2019,2020", False),
        ("id,1e9,demand_ms", False),
        ("id,demand_ms", False),
    ],
)
def test_a_first_line_with_values_is_no_header(tailc, tmp_path, head, is_told):
    seed = Seed("t.csv", f"{head}\n{head}\n{head}\n".encode())
    _code, document = linted(tailc, tmp_path, seed)
    assert ("TC1012" in {one["code"] for one in document["findings"]}) == is_told


@pytest.mark.parametrize(
    ("rows", "is_found"),
    [
        ("1,1000\n10000000,1\n", True),
        ("1,900\n2,100\n50,1\n", True),
        ("1,1000\n15,1\n", False),
        ("1,1000\n10000000,2\n", False),
    ],
)
def test_a_single_demand_far_above_all_others_is_an_outlier(tmp_path, rows, is_found):
    path = tmp_path / "t.csv"
    path.write_text(f"demand_ms,weight\n{rows}")
    found = [each.code.ident for each in lint(str(path), TraceOptions()).findings]
    assert ("TC1208" in found) == is_found
