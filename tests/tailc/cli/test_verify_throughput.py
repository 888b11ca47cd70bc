"""Policies of shares on the command line: verdicts, formats, and options that do not apply."""

from __future__ import annotations

import json

import pytest

from tests.tailc.cli.json_schemas import OUTPUT, SCHEMAS
from tests.tailc.policies.autopro.case import write
from tests.tailc.policies.compiled import compiled_kind
from tests.tailc.schemas import validate
from tests.tailc.toy import write_toy

VERDICT = json.loads((SCHEMAS / "report/throughput-1.schema.json").read_text())


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The policy, which no test changes."""
    return compiled_kind(tmp_path_factory, "autopro").stem


@pytest.fixture
def case(compiled, tmp_path):
    return write(tmp_path), compiled


def test_a_policy_that_keeps_its_targets_passes(case, tailc):
    written, policy = case
    ended = tailc("verify", policy, "--trace", written.held_out)
    assert ended.code == 0
    assert "verdict: pass" in ended.out


def test_a_smaller_tolerance_is_missed(case, tailc):
    written, policy = case
    words = ("--tolerance", "0.1%", "--output-format", "json")
    ended = tailc("verify", policy, "--trace", written.held_out, *words)
    assert ended.code == 1
    result = json.loads(ended.out)["result"]
    assert result["verdict"] == "fail"
    assert result["tolerance_ppm"] == 1_000


@pytest.mark.parametrize("form", ["junit", "markdown", "github"])
def test_every_format_names_the_machines(case, tailc, form):
    written, policy = case
    ended = tailc("verify", policy, "--trace", written.held_out, "--output-format", form)
    assert "encoder" in ended.out
    assert "pricer" in ended.out


@pytest.mark.parametrize(
    "words",
    [("--requests", "2000"), ("--rate", "5/s"), ("--cut-off", "1s"), ("--chip", "x.yaml")],
)
def test_options_about_requests_do_not_apply(case, tailc, words):
    written, policy = case
    ended = tailc("verify", policy, "--trace", written.held_out, *words)
    assert ended.code == 64
    assert "is for throughput, not for requests" in ended.err


def test_baselines_are_those_that_are_named(case, tailc):
    written, policy = case
    words = ("--baselines", "recorded,fair,static-40%", "--output-format", "json")
    ended = tailc("verify", policy, "--trace", written.held_out, *words)
    document = json.loads(ended.out)
    validate(document["result"], VERDICT)
    for machine in document["result"]["machines"]:
        assert "static_ppm" not in machine
        assert machine["fair_ppm"] > 0
        assert [one["name"] for one in machine["baselines"]] == ["recorded", "static-40%"]
        assert machine["baselines"][1]["share_ppm"] == 400_000
    ended = tailc("verify", policy, "--trace", written.held_out, "--baselines", "first,recorded")
    assert "static: error at the best share that never changes;" in ended.out
    assert "recorded: error at the shares that were measured" in ended.out.replace("\n", " ")


def test_names_of_no_baseline_are_refused(case, tailc):
    written, policy = case
    ended = tailc("verify", policy, "--trace", written.held_out, "--baselines", "statik")
    assert ended.code == 64
    assert "there is no baseline `statik` of machines with shares" in ended.err
    assert "did you mean `static`?" in ended.err


def test_check_reads_a_trace_of_throughput(case, tailc):
    written, _ = case
    assert tailc("check", written.spec, "--with-trace").code == 0
    written.design.write_text("time,machine,throughput,share\n1,encoder,-4,0.5\n")
    ended = tailc("check", written.spec, "--with-trace")
    assert ended.code == 65
    assert "`-4.0` is a negative throughput" in ended.err


def test_a_compile_tells_how_well_models_fit_and_what_targets_need(tmp_path, tailc):
    written = write(tmp_path)
    told = tailc("compile", written.spec, "-o", tmp_path / "q", "--output-format", "json").out
    first, second = json.loads(told)["result"]["models"]
    assert (first["name"], second["name"]) == ("encoder", "pricer")
    # Its model is 0.2 and 48, so that the host does 60 a second, and 20 are a third of it.
    assert first["max_milli"] == pytest.approx(60_000, rel=0.01)
    assert first["needs_ppm"] == pytest.approx(333_333, rel=0.01)


def test_simulate_tells_what_verify_tells_and_exits_0(case, tailc):
    written, _ = case
    ended = tailc("simulate", written.spec, "--trace", written.held_out)
    assert ended.code == 0
    assert "machine     target  error  95 % interval  verdict" in ended.out
    own = tailc("simulate", written.spec)
    assert "replayed on the rows that the policy was compiled from" in own.out


def test_machines_have_no_capacity_in_requests(case, tailc):
    written, policy = case
    ended = tailc("size", policy, "--trace", written.held_out)
    assert ended.code == 64
    assert "is a policy of throughput, so there are no demands to replay" in ended.err


def test_parts_that_split_writes_are_judged_as_they_are(tmp_path, tailc):
    written = write(tmp_path)
    text = written.spec.read_text().replace("unit: ms", "unit: ms\n  held_out: 30%")
    written.spec.write_text(text)
    assert tailc("split", written.spec, "-o", tmp_path / "part").code == 0
    assert tailc("compile", written.spec, "-o", tmp_path / "p").code == 0
    whole = tailc("verify", tmp_path / "p", "--trace", written.design)
    part = tailc("verify", tmp_path / "p", "--trace", tmp_path / "part.held-out.parquet")
    assert whole.out == part.out
    own = tailc("verify", tmp_path / "p", "--trace", tmp_path / "part.design.parquet")
    assert "TC0601" in own.err


@pytest.mark.parametrize("is_old", [True, False])
def test_no_trace_compares_throughput_with_requests(case, tailc, in_folder, is_old):
    written, policy = case
    assert tailc("compile", write_toy(in_folder), "-o", "toy").code == 0
    both = (policy, "toy") if is_old else ("toy", policy)
    ended = tailc("diff", *both, "--trace", written.held_out)
    assert ended.code == 64
    assert "is for requests, not for throughput" in ended.err
    assert "help: remove `--trace`" in ended.err
    assert tailc("diff", *both).code == 0


def test_a_compile_s_document_is_as_its_schema_says(tmp_path, tailc):
    written = write(tmp_path)
    ended = tailc("compile", written.spec, "-o", tmp_path / "p", "--output-format", "json")
    document = json.loads(ended.out)
    validate(document, OUTPUT)
    assert [model["name"] for model in document["result"]["models"]] == ["encoder", "pricer"]


def test_parts_of_throughput_are_counted_in_rows(tmp_path, tailc):
    """320 rows, of each machine 112 in the one part and 48 in the other."""
    written = write(tmp_path)
    text = written.spec.read_text().replace("unit: ms", "unit: ms\n  held_out: 30%")
    written.spec.write_text(text)
    told = tailc("split", written.spec, "-o", tmp_path / "part").out
    assert "part.design.parquet  224 rows  " in told
    assert "part.held-out.parquet  96 rows  " in told
    words = ("-o", tmp_path / "part", "--output-format", "json")
    document = json.loads(tailc("split", written.spec, *words).out)
    validate(document, OUTPUT)
    assert document["result"]["held-out"]["rows"] == 96


@pytest.mark.parametrize("command", ["verify", "diff"])
def test_a_trace_of_another_service_under_the_same_names_is_flagged(case, tailc, command):
    """Throughput of the encoder is the pricer's, some twenty times as much, and the reverse."""
    written, policy = case
    text = written.held_out.read_text()
    swapped = text.replace("encoder", "~").replace("pricer", "encoder").replace("~", "pricer")
    written.held_out.write_text(swapped)
    policies = (policy,) if command == "verify" else (policy, policy)
    ended = tailc(command, *policies, "--trace", written.held_out)
    assert "warning[TC0652]: `encoder` has drifted: with the same share it does" in ended.err
    assert "warning[TC0652]: `pricer` has drifted" in ended.err
    assert "heldout.csv, row 1, column `throughput`" in ended.err


def test_a_trace_of_the_same_service_is_not_flagged(case, tailc):
    written, policy = case
    ended = tailc("verify", policy, "--trace", written.held_out)
    assert "drift since the compile" in ended.out
    assert "TC0652" not in ended.err
