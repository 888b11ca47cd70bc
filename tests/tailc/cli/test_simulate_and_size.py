"""simulate gives verify's numbers without an artifact; size gives rates and servers."""

import json
import re
import shutil

import pytest

from tests.tailc.cli.compiling import compile_in
from tests.tailc.toy import with_lines, write_toy

QUICK = ("--requests", "500", "--replicates", "50", "--baselines", "seq", "--no-progress")


def write_spec(folder, *changes):
    rows = "".join(f"{i},{10 + i * i % 97}\n" for i in range(1000))
    held_out = ("reference: one thread", "reference: one thread\n  held_out: 40%")
    return write_toy(folder, with_lines(held_out, *changes), "request,demand_ms\n" + rows)


@pytest.fixture
def spec(in_folder):
    return write_spec(in_folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("size")
    write_spec(folder, ("latency: 200ms", "latency: 210ms"))
    compile_in(folder, "toy.yaml", "-o", "changed")
    write_spec(folder)
    compile_in(folder, "toy.yaml", "-o", "toy")
    for suffix in (".json", ".tailc"):
        shutil.copy(folder / f"toy{suffix}", folder / f"same{suffix}")
    write_spec(folder, ("latency: 200ms", "latency: 210ms"))
    compile_in(folder, "toy.yaml", "-o", "next", "--previous", "toy.tailc")
    write_spec(folder)
    return folder


@pytest.fixture
def stems(folder, copied):
    """The spec compiled as `toy`, also named `same`; `changed` from another, `next` after `toy`."""
    copied(folder)


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
def drifted(in_folder):
    """A trace whose every request is a thousandth of a request of the spec's."""
    (in_folder / "drifted.csv").write_text("demand_ms\n" + "0.06\n" * 300)
    return ("--trace", "drifted.csv", "--requests", "500", "--replicates", "50")


@pytest.mark.parametrize(
    "words",
    [("verify", "toy"), ("simulate", "toy.yaml"), ("size", "toy"), ("diff", "toy", "same")],
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


@pytest.mark.usefixtures("stems")
def test_size_tells_rates_and_whole_servers(tailc, in_folder):
    forms = ("text", "json:out.json", "markdown:out.md")
    words = [word for form in forms for word in ("--output-format", form)]
    text = tailc("size", "toy", "--trace", "toy.csv", "--fleet-rate", "1000/s", *QUICK, *words)
    document = json.loads((in_folder / "out.json").read_text())
    ours, sequential = document["result"]["capacities"]
    assert [ours["subject"], sequential["subject"]] == ["toy", "SEQ"]
    assert ours["low_mrps"] <= ours["rate_mrps"] <= ours["high_mrps"]
    assert ours["servers"] == -(-1_000_000 // ours["rate_mrps"])
    assert ours["servers_low"] <= ours["servers"] <= ours["servers_high"]
    assert f" {ours['servers']} " in text.out
    # Both fill the server at the same rate, so they have the same grid of 200 steps.
    assert ours["step_mrps"] == sequential["step_mrps"] >= ours["rate_mrps"] // 201
    assert f"multiples of {ours['step_mrps'] / 1000:,.1f}/s, which is 1/200 of the rate" in text.out
    assert (in_folder / "out.md").read_text().startswith("###")


@pytest.mark.usefixtures("stems")
def test_size_compares_artifacts_with_the_first(tailc):
    words = ("--trace", "toy.csv", *QUICK[:-3], "--baselines", "none", "--output-format", "json")
    first, second = result(tailc("size", "toy", "same", *words))["capacities"]
    assert first == second


@pytest.mark.parametrize(
    ("other", "label"),
    [("changed", r"toy, [0-9a-f]{12}"), ("next", r"toy, generation [12]")],
)
@pytest.mark.usefixtures("stems")
def test_size_tells_policies_of_one_name_apart(tailc, other, label):
    words = ("--trace", "toy.csv", *QUICK[:-3], "--baselines", "seq", "--output-format", "json")
    first, second, seq = result(tailc("size", "toy", other, *words))["capacities"]
    assert first["subject"] != second["subject"]
    assert re.fullmatch(label, first["subject"])
    assert re.fullmatch(label, second["subject"])
    assert seq["subject"] == "SEQ"


@pytest.mark.usefixtures("compiled")
def test_size_refuses_what_the_policy_was_compiled_from(tailc):
    assert "TC0601" in tailc("size", "toy", "--trace", "toy.csv", *QUICK).err
