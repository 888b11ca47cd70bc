"""`lint-trace --spec`: columns are those of a spec, so that nobody need name them again."""

from __future__ import annotations

import json

import pytest

from tests.tailc.lint.seeded import DEMAND, changed, csv, demands, swapped
from tests.tailc.lint.seeded_others import RUN_S, swf
from tests.tailc.policies.cases import write_case
from tests.tailc.toy import with_lines, write_toy


@pytest.fixture
def linted(tailc):
    """The exit code, and what is told of the one trace: where it is, its columns, and codes."""

    def of(*words):
        ended = tailc("lint-trace", *words, "--output-format", "json")
        document = json.loads(ended.out)
        (trace,) = document["result"]["traces"]
        codes = {one["code"] for one in document["findings"]}
        return ended.code, trace["name"], trace["checked_columns"], codes

    return of


@pytest.fixture
def spec(in_folder):
    """A spec whose demands stand in a column that no name tells."""
    odd = csv(work=swapped(DEMAND, 50_000)).content.decode()
    return write_toy(in_folder, with_lines(("column: demand_ms", "column: work")), odd)


def test_a_spec_names_its_trace_and_the_column(spec, linted, in_folder):
    assert linted("toy.csv") == (65, "toy.csv", [], {"TC1028"})
    assert linted("--spec", spec) == (0, str(in_folder / "toy.csv"), ["work"], {"TC1208"})


def test_another_trace_is_looked_at_as_the_spec_has_it(spec, linted, in_folder):
    (in_folder / "other.csv").write_bytes(csv(work=[5] * 50).content)
    code, name, looked_at, codes = linted("--spec", spec, "other.csv")
    assert (code, name, looked_at) == (65, "other.csv", ["work"])
    assert "TC1201" in codes


def test_an_option_counts_before_the_spec(spec, linted, in_folder):
    (in_folder / "other.csv").write_bytes(demands(DEMAND).content)
    words = ("--spec", spec, "other.csv", "--column", "demand_ms", "--percentile", "99.99%")
    assert linted(*words) == (0, "other.csv", ["demand_ms"], {"TC0266"})


@pytest.mark.parametrize(
    ("kind", "trace", "columns"),
    [
        ("autopro", "design.csv", {"time", "machine", "throughput", "share"}),
        ("rubik", "design.csv", {"cycles", "memory_us"}),
        ("slow-to-fast", "design.csv", {"demand_ms"}),
        ("green-sla", "jobs.csv", {"at_s", "run_s", "servers"}),
    ],
)
def test_every_sort_of_trace_is_known_from_its_spec(tmp_path, linted, kind, trace, columns):
    _code, name, looked_at, _codes = linted("--spec", write_case(kind, tmp_path).spec)
    assert name == str(tmp_path / trace)
    assert set(looked_at) == columns


def test_jobs_of_no_length_are_an_error_and_the_others_are_looked_at(tmp_path, linted):
    (tmp_path / "t.swf").write_bytes(swf(run=changed(RUN_S * 60, slice(5, 6), 0)).content)
    code, _name, _looked_at, codes = linted(tmp_path / "t.swf")
    assert (code, codes) == (65, {"TC0206", "TC0261", "TC1806"})


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 64, "give a TRACE, or with `--spec` the spec that names it"),
        (("--spec", "gone.yaml"), 66, "gone.yaml"),
        (("--spec", "toy.csv"), 65, "toy.csv"),
    ],
)
def test_what_names_no_trace_is_refused(spec, tailc, words, code, said):
    ended = tailc("lint-trace", *words)
    assert ended.code == code
    assert said in ended.err
