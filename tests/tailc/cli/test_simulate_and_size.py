"""simulate gives verify's numbers without an artifact; size gives rates and servers."""

import json
import re

import pytest

from tests.tailc.toy import with_lines, write_toy

QUICK = ("--requests", "500", "--replicates", "50", "--baselines", "seq", "--no-progress")


@pytest.fixture
def spec(in_folder):
    rows = "".join(f"{i},{10 + i * i % 97}\n" for i in range(1000))
    held_out = ("reference: one thread", "reference: one thread\n  held_out: 40%")
    return write_toy(in_folder, with_lines(held_out), "request,demand_ms\n" + rows)


def result(ended):
    return json.loads(ended.out)["result"]


def test_simulate_says_what_compile_and_verify_would(spec, tailc, in_folder):
    simulated = tailc("simulate", spec, *QUICK, "--output-format", "json")
    assert simulated.code == 0
    assert {path.name for path in in_folder.iterdir()} == {"toy.csv", "toy.yaml"}
    assert tailc("compile", spec, "-o", "toy").code == 0
    verified = tailc("verify", "toy", "--trace", "toy.csv", *QUICK, "--output-format", "json")
    assert result(simulated) == result(verified)


def test_simulate_says_when_it_replays_what_the_policy_was_compiled_from(tailc, in_folder):
    write_toy(in_folder)
    ended = tailc("simulate", "toy.yaml", *QUICK, "--output-format", "json")
    assert ended.code == 0
    assert result(ended)["held_out"]["is_compile_trace"] is True


def test_simulate_exits_zero_where_an_slo_is_missed(spec, tailc):
    ended = tailc("simulate", spec, "--rate", "900/s", *QUICK, "--output-format", "json")
    assert result(ended)["verdict"] == "fail"
    assert ended.code == 0


def test_simulate_reads_a_trace_of_its_own(spec, tailc, in_folder):
    (in_folder / "other.csv").write_text("demand_ms\n" + "7\n" * 300)
    given = ("--trace", "other.csv", "--output-format", "json")
    assert result(tailc("simulate", spec, *given, *QUICK))["held_out"]["requests"] == 300


@pytest.fixture
def stems(spec, tailc):
    """Two compiles of the spec."""
    for stem in ("old", "new"):
        assert tailc("compile", spec, "-o", stem).code == 0


@pytest.fixture
def drifted(in_folder):
    """A trace whose every request is a thousandth of a request of the spec's."""
    (in_folder / "drifted.csv").write_text("demand_ms\n" + "0.06\n" * 300)
    return ("--trace", "drifted.csv", "--requests", "500", "--replicates", "50")


@pytest.mark.parametrize(
    "words",
    [("verify", "new"), ("simulate", "toy.yaml"), ("size", "new"), ("diff", "old", "new")],
    ids=lambda words: words[0],
)
def test_every_command_that_replays_warns_of_drift_and_of_a_suspect_unit(
    words, stems, drifted, tailc
):
    ended = tailc(*words, *drifted, "--no-progress")
    assert "warning[TC0652]: demand has drifted" in ended.err
    assert "warning[TC0251]" in ended.err


def test_simulate_asks_for_a_trace_where_standard_input_was_read_already(tailc, in_folder):
    write_toy(in_folder, with_lines(("trace: toy.csv", "trace: '-'")))
    ended = tailc("simulate", "toy.yaml", *QUICK)
    assert ended.code == 64
    assert "--trace" in ended.err


def test_a_broken_spec_is_placed_as_check_places_it(tailc, in_folder):
    write_toy(in_folder, with_lines(("cores: 6", "cores: six")))
    ended = tailc("simulate", "toy.yaml", *QUICK)
    assert ended.code == 65
    assert "toy.yaml:12:" in ended.err


def test_size_tells_rates_and_whole_servers(spec, tailc):
    assert tailc("compile", spec, "-o", "toy").code == 0
    words = ("--trace", "toy.csv", "--fleet-rate", "1000/s", *QUICK)
    ended = tailc("size", "toy", *words, "--output-format", "json")
    ours, sequential = result(ended)["capacities"]
    assert [ours["subject"], sequential["subject"]] == ["toy", "SEQ"]
    assert ours["low_mrps"] <= ours["rate_mrps"] <= ours["high_mrps"]
    assert ours["servers"] == -(-1_000_000 // ours["rate_mrps"])
    assert ours["servers_low"] <= ours["servers"] <= ours["servers_high"]
    text = tailc("size", "toy", *words)
    assert f" {ours['servers']} " in text.out
    assert tailc("size", "toy", *words, "--output-format", "markdown").out.startswith("###")


def test_size_compares_artifacts_with_the_first(spec, tailc):
    assert tailc("compile", spec, "-o", "toy").code == 0
    tailc("compile", spec, "-o", "same")
    words = ("--trace", "toy.csv", *QUICK[:-3], "--baselines", "none", "--output-format", "json")
    first, second = result(tailc("size", "toy", "same", *words))["capacities"]
    assert first == second


@pytest.mark.parametrize(
    ("more", "label"),
    [((), r"toy, [0-9a-f]{12}"), (("--previous", "old.tailc"), r"toy, generation [12]")],
)
def test_size_tells_policies_of_one_name_apart(spec, tailc, in_folder, more, label):
    assert tailc("compile", spec, "-o", "old").code == 0
    text = (in_folder / "toy.yaml").read_text()
    (in_folder / "toy.yaml").write_text(text.replace("latency: 200ms", "latency: 210ms"))
    assert tailc("compile", spec, "-o", "new", *more).code == 0
    words = ("--trace", "toy.csv", *QUICK[:-3], "--baselines", "seq", "--output-format", "json")
    first, second, seq = result(tailc("size", "old", "new", *words))["capacities"]
    assert first["subject"] != second["subject"]
    assert re.fullmatch(label, first["subject"])
    assert re.fullmatch(label, second["subject"])
    assert seq["subject"] == "SEQ"


def test_size_refuses_what_the_policy_was_compiled_from(tailc, in_folder):
    write_toy(in_folder)
    tailc("compile", "toy.yaml", "-o", "toy")
    assert "TC0601" in tailc("size", "toy", "--trace", "toy.csv", *QUICK).err
