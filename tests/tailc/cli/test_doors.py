"""What is odd about measurements is told by every command that reads them, in the same words."""

import json

import pytest

from tests.tailc.toy import with_lines, write_toy

VEGETA = [
    {"attack": "", "code": 200, "timestamp": f"2026-01-02T10:00:00.{at:03}Z", "latency": at * 10**6}
    for at in range(5, 95)
]
OUTLIER = "\n".join(["request,demand_ms", *(f"{at},{at % 90 + 5}" for at in range(200)), "x,90000"])


HELD_OUT = with_lines(("measure: demand-busy", "measure: demand-busy\n  held_out: 20%"))


@pytest.fixture
def outlier(in_folder):
    return write_toy(in_folder, HELD_OUT, OUTLIER + "\n")


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--with-trace", "toy.yaml"),
        ("compile", "toy.yaml", "--allow-misses", "-o", "toy"),
        ("split", "toy.yaml", "-o", "part"),
        ("lint-trace", "toy.csv"),
    ],
)
def test_an_outlier_is_told_with_its_line(outlier, tailc, words):
    ended = tailc(*words)
    assert ended.code == 0, ended.err
    assert "warning[TC1208]: demand `90000` is" in ended.err
    assert "toy.csv:202, row 201, column `demand_ms`" in ended.err


def test_an_outlier_is_told_of_what_is_counted(outlier, tailc):
    words = ("--column", "demand_ms", "--measure", "demand-busy", "-o", "toy.profile")
    ended = tailc("ingest", "toy.csv", *words)
    assert ended.code == 0, ended.err
    assert "warning[TC1208]" in ended.err


def test_an_outlier_is_told_of_a_held_out_trace(compiled, tailc):
    (compiled / "other.csv").write_text(OUTLIER + "\n")
    words = ("--trace", "other.csv", "--requests", "300", "--replicates", "49")
    assert "warning[TC1208]" in tailc("verify", "toy.tailc", *words).err


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_times_of_a_load_generator_are_no_demand_in_a_spec(in_folder, tailc, separators):
    lines = [json.dumps(one, separators=separators) for one in VEGETA]
    (in_folder / "toy.csv").write_text("\n".join(lines) + "\n")
    of_vegeta = ("column: demand_ms\n  unit: ms", "column: latency\n  unit: ns")
    spec = write_toy(in_folder, with_lines(of_vegeta), "\n".join(lines) + "\n")
    for words in (("check", "--with-trace", spec), ("compile", spec, "-o", "out")):
        ended = tailc(*words)
        assert ended.code == 65
        assert "is vegeta JSON with response times" in ended.err


@pytest.mark.parametrize("words", [("lint-trace",), ("ingest", "-o", "x.profile"), ("init",)])
def test_a_spec_is_no_trace(in_folder, tailc, words):
    ended = tailc(words[0], write_toy(in_folder), *words[1:])
    assert ended.code in (64, 65)
    assert "`toy.yaml` is a spec, not measurements" in ended.err.replace(f"{in_folder}/", "")
