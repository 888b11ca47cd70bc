"""Each command on the worked example, and each exit code from the command that gives it."""

import json

import pytest

from tailc.policies import KINDS
from tests.tailc.held_out_days import write_days
from tests.tailc.schemas import validate_compiled
from tests.tailc.toy import TRACE, with_lines, write_toy


@pytest.fixture
def toy(in_folder):
    return write_toy(in_folder)


def test_compile_prints_the_table_and_writes_both_files(toy, tailc, in_folder):
    ended = tailc("compile", toy, "-o", "out/toy")
    assert "1 to 2" in ended.out
    assert "7 and more" in ended.out
    assert ended.out.endswith("wrote out/toy.json\nwrote out/toy.tailc\n")
    assert (in_folder / "out/toy.json").is_file()
    assert (in_folder / "out/toy.tailc").is_file()


def test_an_objective_that_nothing_can_meet_is_told(in_folder, tailc):
    """The policy is as near to it as can be, and so it is written."""
    path = write_toy(in_folder, with_lines(("99%, latency: 200ms", "50%, latency: 1ms")))
    ended = tailc("compile", path, "-o", "out/toy")
    assert ended.code == 0
    assert "warning[TC0554]: `p50 <= 1 ms` cannot be met: even without waiting" in ended.err
    assert "relax the latency to more than" in ended.err


@pytest.mark.parametrize(
    ("limit", "is_missed"), [("50%, latency: 1ms", True), ("50%, latency: 1s", False)]
)
def test_check_with_a_trace_names_an_slo_that_is_missed_without_waiting(
    in_folder, tailc, limit, is_missed
):
    path = write_toy(in_folder, with_lines(("99%, latency: 200ms", limit)))
    ended = tailc("check", path, "--with-trace")
    assert ended.code == 0
    assert ("cannot be met: even without waiting" in ended.err) is is_missed
    assert "without waiting" not in tailc("check", path).err


def test_check_with_a_trace_refuses_a_later_slo_that_no_policy_can_meet(in_folder, tailc):
    two = "99%, latency: 200ms}, {percentile: 50%, latency: 1ms"
    path = write_toy(in_folder, with_lines(("99%, latency: 200ms", two)))
    ended = tailc("check", path, "--with-trace")
    assert (ended.code, ended.err.count("even without waiting")) == (6, 1)
    assert tailc("compile", path).code == 6


def test_a_compile_advises_no_cores_where_requests_alone_miss_the_slo(in_folder, tailc):
    alone = ("99%, latency: 200ms", "50%, latency: 1ms")
    spec = with_lines(alone, ("search: {method: grid, step: 50ms}\n", ""))
    path = write_toy(in_folder, spec, TRACE + "3,60\n4,140\n" * 50)
    ended = tailc("compile", path)
    assert ended.code == 6
    assert "help: make single requests faster, or relax the latency" in ended.err
    assert "add cores" not in ended.err


def test_check_with_a_trace_says_that_it_cannot_tell_the_percentile(in_folder, tailc):
    path = write_toy(in_folder, with_lines(("percentile: 99%", "percentile: 99.9%")))
    assert "TC0266" in tailc("check", path, "--with-trace").err
    assert "TC0266" not in tailc("check", path).err


def test_a_dry_run_tells_the_same_and_writes_nothing(toy, tailc, in_folder):
    before = sorted(in_folder.rglob("*"))
    told = tailc("compile", toy, "--dry-run")
    assert sorted(in_folder.rglob("*")) == before
    document = json.loads(tailc("compile", toy, "--dry-run", "--output-format", "json").out)
    assert document["result"]["files"] == []
    wrote = tailc("compile", toy)
    assert told.code == wrote.code == 0
    assert told.out == wrote.out.replace("\nwrote ", "\nwould write ")
    assert "would write toy.tailc" in told.out


def test_compile_reads_the_spec_from_standard_input(toy, tailc, in_folder, monkeypatch):
    import io
    import sys

    text = (in_folder / "toy.yaml").read_bytes()
    stdin = io.TextIOWrapper(io.BytesIO(text))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert tailc("compile", "-", "-o", "piped").code == 0


@pytest.mark.parametrize("words", [["check"], ["compile", "--dry-run"], ["fmt", "--check"]])
def test_a_policy_in_the_place_of_a_spec_is_one_error(compiled, tailc, words):
    ended = tailc(*words, "toy.json")
    assert ended.code == 65
    assert ended.err.count("error[") == 1
    assert "`toy.json` is a compiled policy, not a spec" in ended.err


def test_a_policy_for_runtimes_in_the_place_of_a_spec_says_what_to_give(compiled, tailc):
    ended = tailc("check", "toy.tailc")
    assert ended.code == 65
    assert (
        "give the spec from which the policy was compiled; to print a policy, use `tailc inspect`"
    ) in " ".join(ended.err.split())


def test_options_of_the_method_auto_are_in_the_policy_that_it_chooses(toy, tailc, in_folder):
    asked = ("--method", "auto", "--effort", "quick", "--risk", "99%")
    ended = tailc("compile", toy, *asked, "-o", "best", "--output-format", "json")
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)["result"]
    validate_compiled(result)
    assert result["policy"]["evidence"]["method"] == "auto"
    assert result["best"]["judged_on"] == 2


@pytest.mark.parametrize(
    ("words", "field"), [(("--effort", "quick"), "effort"), (("--risk", "10%"), "risk")]
)
def test_effort_and_risk_are_for_the_method_auto(toy, tailc, words, field):
    ended = tailc("compile", toy, *words)
    assert ended.code == 64
    assert f"`--{field}` applies only to the method `auto`, not to `grid`" in ended.err
    assert "give `--method auto`, or remove the option" in ended.err


def test_a_second_compile_gives_the_same_bytes(compiled, toy, tailc, in_folder):
    before = (in_folder / "toy.tailc").read_bytes()
    tailc("compile", toy, "-o", "out/again")
    assert (in_folder / "out/again.tailc").read_bytes() == before


def test_lookup_answers_for_a_new_and_for_a_running_request(compiled, tailc):
    words = ("--in-system", 4, "--age", "60ms", "--output-format", "json")
    ended = tailc("lookup", "toy.tailc", *words)
    result = json.loads(ended.out)["result"]
    assert (result["start"], result["rung_name"]) == ("now", "2 threads")
    text = tailc("lookup", "toy.tailc", "--in-system", 9).out
    assert text == "not yet started: start at once\nrunning: 1 thread\n"


def test_lookup_without_the_table_s_load_is_a_usage_error(compiled, tailc):
    ended = tailc("lookup", "toy.tailc", "--rate", "3/s")
    assert ended.code == 64
    assert "--in-system" in ended.err


def test_inspect_shows_promise_table_and_evidence(compiled, tailc):
    ended = tailc("inspect", "toy.tailc", "--rows")
    assert "p99 <= 200 ms" in ended.out
    assert "112.5 ms" in ended.out
    assert tailc("inspect", "toy.json").out == tailc("inspect", "toy.tailc").out


def test_schema_lists_kinds_and_prints_the_schema_of_one(tailc):
    assert tailc("schema").out.split() == sorted([*KINDS, "column-map", "days"])
    schema = json.loads(tailc("schema", "few-to-many").out)
    assert "slo" in schema["properties"]


def test_schema_of_an_unknown_kind_suggests_the_known_one(tailc):
    ended = tailc("schema", "few-to-mny")
    assert ended.code == 64
    assert "did you mean `few-to-many`" in ended.err


def test_split_writes_the_parts_that_compile_records(in_folder, tailc):
    trace = "request,demand_ms\n" + "".join(f"{i},{10 + i % 7}\n" for i in range(200))
    held_out = ("reference: one thread", "reference: one thread\n  held_out: 25%")
    spec = write_toy(in_folder, with_lines(held_out), trace)
    parts = json.loads(tailc("split", spec, "-o", "parts/p", "--output-format", "json").out)
    document = json.loads(tailc("compile", spec, "-o", "p", "--output-format", "json").out)
    inputs = {part["role"]: part["digest"] for part in document["result"]["policy"]["inputs"]}
    written = {role: part["digest"] for role, part in parts["result"].items()}
    assert written == {role: inputs[role] for role in ("design", "held-out")}


def test_split_of_a_spec_that_holds_nothing_out_says_so(toy, tailc):
    ended = tailc("split", toy)
    assert ended.code == 65
    assert "held_out" in ended.err


def test_check_reports_every_spec_and_keeps_the_first_failure(toy, tailc, in_folder):
    (in_folder / "bad.yaml").write_text(with_lines(("cores: 6", "cores: 0")))
    ended = tailc("check", toy, "bad.yaml", "missing.yaml")
    assert ended.code == 65
    assert ended.out == "3 checked, 2 wrong, 2 errors, 0 warnings\n"
    assert "bad.yaml:" in ended.err
    assert "missing.yaml" in ended.err


def test_check_with_trace_also_reads_the_data(in_folder, tailc):
    spec = write_toy(in_folder, trace="request,demand_ms\n1,50\n2,-3\n")
    assert tailc("check", spec).code == 0
    ended = tailc("check", "--with-trace", spec)
    assert ended.code == 65
    assert "row 2" in ended.err


@pytest.mark.parametrize(
    ("times", "code", "says"),
    [
        (range(700), 0, ""),
        ((f"May 2, 2024 @ 10:00:{at % 60:02}.000" for at in range(700)), 65, "row 1, column `at`"),
        ((700 - at for at in range(700)), 65, "column `at`"),
        (range(500), 65, "500 arrivals are too few"),
    ],
)
def test_check_with_trace_also_reads_recorded_arrivals(in_folder, tailc, times, code, says):
    tuned = "search: {method: simulation, recorded: {column: at, unit: s}}"
    text = with_lines(("search: {method: grid, step: 50ms}", tuned))
    rows = "".join(f'"{at}",{5 + row % 7}\n' for row, at in enumerate(times))
    spec = write_toy(in_folder, text, trace=f"at,demand_ms\n{rows}")
    ended = tailc("check", "--with-trace", spec)
    assert (ended.code, says in ended.err) == (code, True)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["compile"], 64),
        (["no-such-command"], 64),
        (["compile", "toy.yaml", "--method", "guess"], 64),
        (["compile", "missing.yaml"], 66),
        (["inspect", "missing.tailc"], 66),
        (["inspect", "toy.yaml"], 65),
        (["compile", "toy.yaml", "--max-evaluations", "2"], 7),
        (["compile", "toy.yaml", "-o", "toy.csv/below/a/file"], 73),
    ],
)
def test_each_failure_has_its_exit_code(arguments, code, toy, tailc):
    assert tailc(*arguments).code == code


def test_an_infeasible_spec_exits_6_and_leaves_the_old_files(compiled, tailc, in_folder):
    before = (in_folder / "toy.tailc").read_bytes()
    impossible = with_lines(
        (
            "search: {method: grid, step: 50ms}",
            "search: {method: grid, step: 50ms, objective: threads}",
        ),
        ("latency: 200ms", "latency: 60ms"),
    )
    ended = tailc("compile", write_toy(in_folder, impossible), "-o", "toy")
    assert ended.code == 6
    assert "shortest possible latency" in ended.err
    assert (in_folder / "toy.tailc").read_bytes() == before


def test_json_output_is_one_document_also_for_an_error(toy, tailc, in_folder):
    (in_folder / "bad.yaml").write_text(with_lines(("cores: 6", "cors: 6")))
    ended = tailc("compile", "bad.yaml", "--output-format", "json")
    document = json.loads(ended.out)
    assert (ended.code, document["exit_code"], document["command"]) == (65, 65, "compile")
    assert document["findings"][0]["code"] == "TC0102"


def test_github_output_points_at_the_line(toy, tailc, in_folder):
    (in_folder / "bad.yaml").write_text(with_lines(("cores: 6", "cors: 6")))
    ended = tailc("check", "bad.yaml", "--output-format", "github")
    assert ended.out.startswith("::error file=bad.yaml,line=12,")


def test_a_failure_of_ours_is_exit_70_without_a_traceback(toy, tailc, monkeypatch):
    import tailc.pipeline.compile as room

    monkeypatch.setattr(room, "parts_of_requests", lambda _opened, _read: 1 / 0)
    ended = tailc("compile", toy)
    assert ended.code == 70
    assert "TAILC_DEBUG" in ended.err


def test_an_interrupt_is_exit_130_and_writes_nothing(toy, tailc, monkeypatch, in_folder):
    import tailc.pipeline.compile as room

    def interrupted(opened, read):
        raise KeyboardInterrupt

    monkeypatch.setattr(room, "parts_of_requests", interrupted)
    ended = tailc("compile", toy, "-o", "out/toy")
    assert ended.code == 130
    assert not (in_folder / "out").exists()


@pytest.mark.parametrize(
    ("slo", "code", "verdict"),
    [
        ("{percentile: 50%, latency: 1ms}", 1, "fail"),
        ("{percentile: 99%, latency: 10s}", 4, "undecided"),
        ("{percentile: 50%, latency: 10s}", 0, "pass"),
    ],
)
def test_verify_ends_as_its_verdict_says(in_folder, tailc, slo, code, verdict):
    # 300 requests have no upper limit of a 99th percentile: that takes 390.
    rows = "".join(f"{10 + i % 90}\n" for i in range(300))
    (in_folder / "held-out.csv").write_text("demand_ms\n" + rows)
    spec = write_toy(in_folder, with_lines(("{percentile: 99%, latency: 200ms}", slo)))
    assert tailc("compile", spec, "-o", "toy").code == 0
    options = ["--requests", "300", "--replicates", "50"]
    ended = tailc("verify", "toy.tailc", "--trace", "held-out.csv", *options)
    assert ended.code == code
    assert ended.out.endswith(f"verdict: {verdict}\n")


def test_verify_refuses_the_compile_trace_in_any_order_unless_told_otherwise(
    compiled, tailc, in_folder
):
    (in_folder / "shuffled.csv").write_text("request,demand_ms\n2,150\n1,50\n")
    judge = ["verify", "toy.tailc", "--trace", "shuffled.csv", "--requests", "300"]
    refused = tailc(*judge)
    assert refused.code == 65
    assert "--allow-compile-trace" in refused.err
    assert tailc(*judge, "--allow-compile-trace").code in (0, 1, 4)


def test_check_tells_what_a_document_of_days_says_for_nothing(in_folder, tailc):
    mix = ("  at_start: 24h\n", "  at_start: 24h\n  applications: {FT: 1}\n")
    start = ("horizon:", "speedup: {EP: EP}\nhorizon:")
    ended = tailc("check", write_days(in_folder, mix, start))
    assert ended.code == 0
    assert "warning[TC0268]: no job belongs to the application `EP`" in ended.err
