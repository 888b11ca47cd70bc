"""tailc sweep: every row is what a compile of the spec with those values in it gives."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tailc.artifact.files import read_policy
from tests.tailc.policies.green_sla import case as racks
from tests.tailc.schemas import validate
from tests.tailc.toy import SPEC, with_lines, write_toy

MJ_PER_KWH = 3_600_000_000

REPORTS = Path(__file__).parents[3] / "schemas/report"


@pytest.fixture
def toy(in_folder):
    return write_toy(in_folder)


def document(ended):
    found = json.loads(ended.out)
    validate(found, json.loads((REPORTS / "output-1.schema.json").read_text()))
    if found["result"]:
        schema = json.loads((REPORTS / "variants-1.schema.json").read_text())
        validate(found["result"], schema)
    return found


def figures(row):
    return {(one["name"], one["of"]): one["value"] for one in row["figures"]}


def test_the_table_is_the_same_for_any_number_of_processes(tailc, toy):
    words = (
        "sweep",
        toy,
        "--set",
        "server.target_parallelism=2,4,6",
    )
    alone, both = (
        tailc(*words, "--jobs", jobs, "-o", f"{jobs}.csv", "--keep", f"kept-{jobs}")
        for jobs in (1, 2)
    )
    assert alone.code == both.code == 0
    assert both.out.replace("2.csv", "1.csv").replace("kept-2", "kept-1") == alone.out
    assert Path("1.csv").read_bytes() == Path("2.csv").read_bytes()
    for number in (1, 2, 3):
        kept = (Path(f"kept-{jobs}/toy-{number}.json").read_bytes() for jobs in (1, 2))
        assert len(set(kept)) == 1


def test_a_row_is_a_compile_of_the_edited_spec(tailc, toy):
    words = ("--set", "server.target_parallelism=2,3", "--jobs", 1, "--keep", "kept")
    assert tailc("sweep", toy, *words).code == 0
    for row, target in enumerate((2, 3), start=1):
        changed = with_lines(("target_parallelism: 6", f"target_parallelism: {target}"))
        Path("toy.yaml").write_text(changed)
        assert tailc("compile", "toy.yaml", "-o", "edited").code == 0
        for suffix in (".json", ".tailc"):
            kept, edited = (
                read_policy(f"{stem}{suffix}") for stem in (f"kept/toy-{row}", "edited")
            )
            # Only a compile replays what it is about to write.
            judged = replace(edited.evidence, estimates=None)
            assert kept == replace(edited, evidence=judged)


def test_combinations_go_through_the_last_path_first(tailc, toy):
    words = ("--set", "server.cores=4,6", "--set", "slo[0].latency=100ms,200ms", "--jobs", 1)
    found = document(tailc("sweep", toy, *words, "--output-format", "json"))["result"]
    assert [list(row["set"].values()) for row in found["rows"]] == [
        ["4", "100ms"],
        ["4", "200ms"],
        ["6", "100ms"],
        ["6", "200ms"],
    ]


def test_one_at_a_time_begins_with_the_spec_as_it_is(tailc, toy):
    words = ("--set", "server.cores=2", "--set", "server.target_parallelism=2,6")
    ended = tailc("sweep", toy, *words, "--one-at-a-time", "--jobs", 1, "--output-format", "json")
    as_it_is, _, _, same = document(ended)["result"]["rows"]
    assert as_it_is["set"] == {}
    assert same["set"] == {"server.target_parallelism": "6"}
    assert figures(same) == figures(as_it_is)


def test_a_lone_request_has_its_tail_at_a_low_rate(tailc, toy):
    """The longer of both has all threads from its start: 150 ms of work at a speed of 2."""
    words = ("--set", "rates=[0.001/s]", "--jobs", 1, "--output-format", "json")
    (row,) = document(tailc("sweep", toy, *words))["result"]["rows"]
    assert figures(row)["tail_us", "0.001/s"] == 75_000


def test_a_server_that_cannot_keep_up_has_no_tail(tailc, toy):
    words = ("--set", "rates=[1000/s]", "--jobs", 1)
    (row,) = document(tailc("sweep", toy, *words, "--output-format", "json"))["result"]["rows"]
    assert figures(row) == {("tail_us", "1000/s"): None, ("threads_milli", "1000/s"): None}
    assert re.search(r"^ +1 +overloaded +-$", tailc("sweep", toy, *words).out, re.MULTILINE)


def test_an_infeasible_variant_is_a_row_that_says_so(tailc, toy):
    """The longer request takes 75 ms on all threads, so 70 ms is out of reach."""
    ended = tailc(
        *("sweep", toy, "--set", "search.objective=threads", "--set", "slo[0].latency=70ms,200ms"),
        *("--jobs", 1, "-o", "table.csv", "--output-format", "json"),
    )
    assert ended.code == 0
    found = document(ended)
    infeasible, compiled = found["result"]["rows"]
    assert (infeasible["status"], compiled["status"]) == ("infeasible", "compiled")
    assert (infeasible["figures"], compiled["message"]) == ([], None)
    (told,) = [one for one in found["findings"] if infeasible["message"] in one["message"]]
    assert (told["severity"], told["source"]) == ("warning", "--set")
    assert told["message"].startswith("in row 1: ")
    first, second = csv.DictReader(io.StringIO(Path("table.csv").read_text()))
    assert (first["status"], first["message"]) == ("infeasible", infeasible["message"])
    assert (first["tail_us 10/s"], second["status"]) == ("", "compiled")


@pytest.fixture
def site(in_folder):
    return racks.write(in_folder).spec


def test_a_battery_lowers_brown_energy_by_what_it_gives(tailc, site):
    """What it holds at first is given whole; at 1 W next to nothing comes in by day."""
    words = ("--set", "battery.charge=1W", "--set", "battery.discharge=3kW")
    words += ("--set", "battery.capacity=1kWh", "--set", "battery.initial_charge=0J,1kWh")
    ended = tailc("sweep", site, *words, "--jobs", 1, "--output-format", "json")
    assert ended.code == 0
    empty, full = (figures(row) for row in document(ended)["result"]["rows"])
    assert full["jobs", None] == empty["jobs", None]
    assert empty["brown_mj", None] > MJ_PER_KWH
    assert 0.97 * MJ_PER_KWH < empty["brown_mj", None] - full["brown_mj", None] <= MJ_PER_KWH


def test_a_plan_has_the_figures_that_an_inspection_tells(tailc, site):
    ended = tailc("sweep", site, "--set", "violations=5%", "--jobs", 1, "--keep", "kept")
    assert ended.code == 0
    inspected = tailc("inspect", "kept/kit-1").out
    brown = re.search(r"brown ([\d.]+ kWh) for (\S+) with ([\d.]+ kg) CO2", inspected)
    heads, row = (re.split(r"  +", line.strip()) for line in ended.out.splitlines()[2:4])
    cells = dict(zip(heads, row, strict=True))
    assert brown is not None
    assert (cells["brown"], cells["paid for brown"], cells["CO2"]) == brown.groups()
    assert cells["promised"] == "<= 5 %"


def test_what_is_of_all_rows_is_said_once(tailc, toy):
    odd = with_lines(("speedup: [1, 1.5, 2]", "speedup: [1, 1.5, 2, 1.9]"))
    Path(toy).write_text(odd)
    ended = tailc("sweep", toy, "--set", "server.cores=4,6", "--jobs", 1)
    assert ended.code == 0
    assert ended.err.count("fall as the degree rises") == 1
    assert "in row" not in ended.err


def test_a_variant_that_fails_leaves_the_others(tailc, toy):
    words = ("--set", "demand.trace=none.csv,toy.csv", "--jobs", 1)
    ended = tailc("sweep", toy, *words, "--output-format", "json")
    found = document(ended)
    assert ended.code == 66
    assert [row["status"] for row in found["result"]["rows"]] == ["failed", "compiled"]
    assert [one["severity"] for one in found["findings"][:1]] == ["error"]


def test_a_key_that_does_not_exist_ends_it_before_anything_is_compiled(tailc, toy):
    ended = tailc("sweep", toy, "--set", "server.coers=4,6", "--keep", "kept")
    assert ended.code == 65
    assert not Path("kept").exists()
    assert ended.err.count("error[") == 1
    assert "did you mean `cores`" in ended.err
    assert "--set:1:8" in ended.err


def test_a_bad_value_is_told_where_it_was_given(tailc, toy):
    ended = tailc("sweep", toy, "--set", "server.cores=4", "--set", "rates=[10/s],[10]")
    assert ended.code == 65
    assert "1 | rates=[10/s],[10]\n  |               ^^\n" in ended.err


def test_a_conflict_elsewhere_names_what_caused_it(tailc, toy):
    Path(toy).write_text(SPEC.replace("quantum: 5ms", "max_degree: 3"))
    ended = tailc("sweep", toy, "--set", "speedup=[1, 1.5],[1, 1.5, 2]")
    assert ended.code == 65
    assert "with `--set speedup=[1, 1.5]`: `server.max_degree` is `3`" in ended.err
    assert "toy.yaml:12" in ended.err


def test_what_is_wrong_with_the_spec_itself_is_said_once_and_as_ever(tailc, toy):
    Path(toy).write_text(SPEC.replace("unit: ms", "unit: mss"))
    ended = tailc("sweep", toy, "--set", "server.cores=4,6")
    assert ended.err == tailc("check", toy).err
    assert ended.code == 65


def test_too_many_combinations_are_refused(tailc, toy):
    many = ",".join(map(str, range(1, 41)))
    ended = tailc(
        "sweep", toy, "--set", f"server.cores={many}", "--set", f"search.step=[{many}]," + many
    )
    assert ended.code == 64
    assert "1,640 variants" in ended.err


def test_a_trace_on_standard_input_is_refused(tailc, toy):
    Path(toy).write_text(SPEC.replace("toy.csv", '"-"'))
    ended = tailc("sweep", toy, "--set", "server.cores=4,6")
    assert ended.code == 64
    assert "every variant reads the trace" in ended.err


def test_progress_counts_variants(tailc, toy):
    ended = tailc("sweep", toy, "--set", "server.cores=4,6", "--jobs", 1, "--progress")
    assert "compiled 1 of 2 variants ...\ncompiled 2 of 2 variants ...\n" in ended.err


NOTE = "note[TC0588]: `{}` changes nothing"


@pytest.mark.parametrize("assignment", ["search.step=50ms", "name=a,b", "search.step=50ms,50000us"])
def test_a_key_that_changes_no_policy_gets_a_note(tailc, toy, assignment):
    ended = tailc("sweep", toy, "--set", assignment, "--jobs", 1)
    assert ended.code == 0
    key, values = assignment.split("=")
    assert (NOTE.format(key) in ended.err) is ("," in values)


def test_a_key_that_changes_a_policy_gets_no_note(tailc, toy):
    words = ("--set", "server.target_parallelism=2,6", "--set", "name=a,b", "--jobs", 1)
    for more in ((), ("--one-at-a-time",)):
        ended = tailc("sweep", toy, *words, *more)
        assert NOTE.format("name") in ended.err
        assert NOTE.format("server.target_parallelism") not in ended.err


def test_variants_without_a_policy_say_nothing_of_a_key(tailc, toy):
    Path(toy).with_suffix(".csv").unlink()
    ended = tailc("sweep", toy, "--set", "server.cores=4,6", "--jobs", 1)
    assert ended.code == 66
    assert "TC0588" not in ended.err


def test_lists_are_values_as_in_the_help(tailc, toy):
    ended = tailc("sweep", toy, "--set", "rates=[10/s],[10/s,20/s]", "--jobs", 1)
    assert ended.code == 0, ended.err
    assert "[10/s,20/s]" in ended.out
    assert NOTE.format("rates") not in ended.err
