"""tailc size cores, on servers small enough to work out by hand.

Nine requests of ten take 10 ms on a slow core, one 40 ms. A fast core is twice as fast and draws
four times as much. By p95, a long request that moves up at age t is done at t + (40 - t) / 2.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from tests.tailc.schemas import validate

SCHEMAS = Path(__file__).parents[3] / "schemas" / "report"
TRACE = "request,demand_ms\n" + "".join(f"{i},{40 if i % 10 == 0 else 10}\n" for i in range(200))
SPEC = """\
apiVersion: tailc/v1
kind: slow-to-fast
name: NAME
slo: [{percentile: 95%, latency: 45ms}]
demand:
  trace: toy.csv
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: slow
cores:
  types:
TYPES
rates: [1/s]
"""
SLOW = "    - {name: slow, count: 8, speed: 1, power: 1}"
FAST = "    - {name: fast, count: 8, speed: 2, power: 4, migration: 0ms}"
GRID = ("--rates", "1/s", "--targets", "19ms,20ms,30ms,40ms")
# Mean demand is 13 ms; a sample's may be a little off, as may a request that met another.
NEAR = 0.3


def write(folder, name, *types, spec=SPEC):
    path = folder / f"{name}.yaml"
    path.write_text(spec.replace("NAME", name).replace("TYPES", "\n".join(types)))
    return path.name


@pytest.fixture
def folder(in_folder):
    (in_folder / "toy.csv").write_text(TRACE)
    write(in_folder, "slow", SLOW)
    write(in_folder, "both", SLOW, FAST)
    return in_folder


def result(ended):
    assert ended.code == 0, ended.err
    return json.loads(ended.out)["result"]


def by_target(found):
    return {cell["target_us"] // 1000: cell for cell in found["cells"]}


def test_each_target_has_the_least_energy_that_can_be_worked_out_by_hand(folder, tailc):
    found = result(tailc("size", "cores", "slow.yaml", "both.yaml", *GRID, "--output-format=json"))
    cells = by_target(found)
    # Even a fast core needs 20 ms for a long request.
    assert (cells[19]["best"], cells[19]["energy"]) == (None, None)
    # All on fast cores: 13 / 2 ms at power 4.
    assert cells[20]["best"] == 1
    assert cells[20]["energy"] == pytest.approx(26, abs=2 * NEAR)
    # Long requests move up after 20 ms: 0.9 * 10 + 0.1 * (20 + 10 * 4).
    assert cells[30]["best"] == 1
    assert cells[30]["energy"] == pytest.approx(15, abs=NEAR)
    # No fast core is needed; the first of two that are alike is chosen.
    assert cells[40]["best"] == 0
    assert cells[40]["energy"] == pytest.approx(13, abs=NEAR)


def test_every_configuration_has_its_own_figures(folder, tailc):
    found = result(tailc("size", "cores", "slow.yaml", "both.yaml", *GRID, "--output-format=json"))
    slow, both = by_target(found)[30]["choices"]
    assert slow is None
    assert both["tail_us"] == pytest.approx(30_000, abs=1_000)
    assert both["climbs"][0] == {"age_us": 0, "rung": 0}
    slow, both = by_target(found)[40]["choices"]
    assert slow["energy"] == both["energy"]
    assert [each["peak_ppm"] for each in found["configurations"]] == [8_000_000, 40_000_000]


def test_a_tighter_target_never_costs_less(folder, tailc):
    words = ("--rates", "1/s,200/s", "--targets", "20ms,23ms,26ms,29ms,32ms,35ms,40ms")
    found = result(tailc("size", "cores", "both.yaml", *words, "--output-format=json"))
    for rate in found["rates_mrps"]:
        energies = [cell["energy"] for cell in found["cells"] if cell["rate_mrps"] == rate]
        met = [energy for energy in energies if energy is not None]
        assert met == sorted(met, reverse=True)
        assert energies[len(energies) - len(met) :] == met


def test_more_work_than_all_cores_do_is_blank(folder, tailc):
    # 8 slow cores do 8 ms a ms; 700 requests of 13 ms a second are 9.1.
    words = ("--rates", "700/s", "--targets", "10s", "--output-format=json")
    assert result(tailc("size", "cores", "slow.yaml", *words))["cells"][0]["best"] is None


def test_the_document_is_as_its_schemas_say(folder, tailc):
    words = ("both.yaml", *GRID, "-o", "out.csv", "--output-format", "json")
    document = json.loads(tailc("size", "cores", *words).out)
    for name, part in (("output-1", document), ("size-cores-1", document["result"])):
        validate(part, json.loads((SCHEMAS / f"{name}.schema.json").read_text()))
    assert document["command"] == "size cores"
    assert document["result"]["files"] == ["out.csv"]


def test_the_table_for_people_is_blank_where_nothing_meets_the_target(folder, tailc):
    text = tailc("size", "cores", "slow.yaml", "both.yaml", *GRID).out
    lines = [line.split() for line in text.splitlines()]
    assert ["19", "ms", "-"] in lines
    assert any(line[:2] == ["30", "ms"] and line[-1] == "B" for line in lines)
    assert "Peak powers differ by 400%: too much to compare servers of equal power." in text
    assert tailc("size", "cores", "both.yaml", *GRID, "--output-format=markdown").out[:3] == "###"


def test_the_csv_has_a_line_for_each_cell_and_configuration(folder, tailc):
    found = result(
        tailc(
            "size",
            "cores",
            "slow.yaml",
            "both.yaml",
            *GRID,
            "--output=o.csv",
            "--output-format=json",
        )
    )
    rows = list(csv.DictReader(io.StringIO((folder / "o.csv").read_text())))
    assert len(rows) == 8
    least = {row["target_us"]: row for row in rows if row["is_least"] == "yes"}
    for cell in found["cells"]:
        if cell["best"] is None:
            assert str(cell["target_us"]) not in least
        else:
            row = least[str(cell["target_us"])]
            assert row["configuration"] == found["configurations"][cell["best"]]["name"]
            assert float(row["energy"]) == cell["energy"]


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_pictures_are_the_same_bytes_for_any_number_of_threads(folder, tailc, suffix):
    written = []
    for threads in ("1", "2"):
        plot = f"{threads}.{suffix}"
        words = ("--picture", plot, "-o", f"{threads}.csv", "--threads", threads)
        assert tailc("size", "cores", "slow.yaml", "both.yaml", *GRID, *words).code == 0
        written.append(((folder / plot).read_bytes(), (folder / f"{threads}.csv").read_bytes()))
    assert written[0] == written[1]
    assert len(written[0][0]) > 5_000


def test_a_table_and_a_picture_in_one_file_are_refused(folder, tailc):
    files = ("--picture", "o.svg", "-o", "./o.svg")
    ended = tailc("size", "cores", "both.yaml", *GRID, *files)
    assert ended.code == 64
    assert "same file" in ended.err
    assert not (folder / "o.svg").exists()


def test_a_png_without_its_library_names_what_is_missing(folder, tailc, monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    ended = tailc("size", "cores", "both.yaml", *GRID, "--picture", "o.png", "-o", "o.csv")
    assert ended.code == 69
    assert "resvg_py" in ended.err
    assert not (folder / "o.csv").exists()


FEW_TO_MANY = """\
apiVersion: tailc/v1
kind: few-to-many
name: threads
slo: [{percentile: 95%, latency: 45ms}]
demand: {trace: toy.csv, column: demand_ms, unit: ms, measure: demand-busy, reference: a core}
speedup: [1, 1.5]
server: {cores: 4, target_parallelism: 4}
rates: [1/s]
"""


def test_a_kind_without_cores_is_refused_where_it_stands(folder, tailc):
    (folder / "threads.yaml").write_text(FEW_TO_MANY)
    ended = tailc("size", "cores", "both.yaml", "threads.yaml", *GRID)
    assert ended.code == 65
    assert "threads.yaml:2:7" in ended.err
    assert "few-to-many" in ended.err


def test_configurations_of_two_services_are_refused_where_they_differ(folder, tailc):
    (folder / "other.csv").write_text(TRACE.replace(",40", ",39"))
    write(folder, "other", SLOW, spec=SPEC.replace("toy.csv", "other.csv"))
    write(folder, "half", SLOW, spec=SPEC.replace("95%", "50%"))
    write(folder, "watts", SLOW.replace("power: 1", "power: 1W"))
    write(folder, "again", SLOW, spec=SPEC.replace("NAME", "both"))
    for name, place in (("other", 6), ("half", 4), ("watts", 11), ("again", 3)):
        ended = tailc("size", "cores", "both.yaml", f"{name}.yaml", *GRID)
        assert ended.code == 65, name
        assert f"{name}.yaml:{place}:" in ended.err


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("--rates", "1/s,x", "--targets", "1ms"), "`x`"),
        (("--rates", "0/s", "--targets", "1ms"), "more than zero"),
        (("--rates", "1/s", "--targets", ""), "--targets"),
        (("--targets", "1ms"), "--rates"),
        (("--rates", "1/s", "--targets", "30ms", "--picture", "o.gif"), "`.svg` nor `.png`"),
    ],
)
def test_a_wrong_option_is_named(folder, tailc, words, wrong):
    ended = tailc("size", "cores", "both.yaml", *words)
    assert ended.code == 64
    assert wrong in ended.err


def test_a_spec_that_is_not_there_is_named(folder, tailc):
    ended = tailc("size", "cores", "both.yaml", "gone.yaml", *GRID)
    assert ended.code == 66
    assert "gone.yaml" in ended.err


def test_size_alone_still_takes_a_policy_called_cores(folder, tailc):
    ended = tailc("size", "./cores", "--trace", "toy.csv")
    assert ended.code == 66
    assert "cores" in ended.err
