"""`tailc init`: what it writes passes a check and compiles, or it says what it needs."""

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tailc.cli import group
from tests.tailc.toy import TRACE

SAMPLES = Path(__file__).parents[1] / "ingest" / "samples"
WISHES = ("--cores", 4, "--slo", "p90 <= 200ms")
SPEEDUP = ("--speedup", "1,1.5,2")
BUSY = ("--measure", "demand-busy")


@pytest.fixture
def table(in_folder):
    (in_folder / "toy.csv").write_text(TRACE + "3,70\n4,80\n5,90\n6,60\n7,65\n8,55\n")
    return "toy.csv"


@pytest.fixture
def profile(table, tailc):
    ended = tailc(
        "ingest", table, "--column", "demand_ms", "--unit", "ms", *BUSY, "-o", "x.profile"
    )
    assert ended.code == 0
    return "x.profile"


def test_a_profile_becomes_a_spec_that_compiles(profile, tailc, in_folder):
    ended = tailc("init", profile, *WISHES, *SPEEDUP)
    assert ended.code == 0, ended.err
    text = (in_folder / "service.yaml").read_text()
    assert 'trace: "x.profile"\n  measure: demand-busy\n' in text
    assert "server: {cores: 4, target_parallelism: 6, quantum: 5ms, boosting: false}" in text
    # The mean is 77.5 ms: four cores serve 51.6 a second, but not within 200 ms.
    assert "meets the SLO up to 38/s." in text
    assert "rates: [19/s, 34/s]\n" in text
    assert tailc("check", "--with-trace", "service.yaml").code == 0
    assert tailc("compile", "service.yaml", "--method", "grid", "-o", "build/x").code == 0


def test_a_compile_meets_the_slo_at_the_proposed_rates_and_misses_it_far_above(in_folder, tailc):
    demand_ms = -10 * np.log(1 - (np.arange(2_000) + 0.5) / 2_000)
    (in_folder / "t.csv").write_text("\n".join(["service_ms", *map(str, demand_ms), ""]))
    wishes = ("--cores", 4, "--slo", "p95 <= 60ms", "--speedup", "1,1", *BUSY)
    assert tailc("init", "t.csv", *wishes).code == 0
    spec = in_folder / "service.yaml"
    text = spec.read_text()
    (highest,) = re.findall(r"meets the SLO up to (\d+)/s", text)
    compiled = tailc("compile", "service.yaml", "-o", "x")
    assert compiled.code == 0
    assert " pass " in compiled.out
    assert " fail " not in compiled.out
    more = f"rates: [{round(1.3 * int(highest))}/s]"
    spec.write_text(re.sub(r"rates: .*", more, text))
    assert tailc("compile", "--force", "service.yaml", "-o", "x").code == 6


def test_a_warning_says_that_no_rate_is_within_the_slo(table, tailc, in_folder):
    ended = tailc("init", table, "--cores", 4, "--slo", "p90 <= 1ms", *SPEEDUP, *BUSY)
    assert ended.code == 0
    assert "no fixed number of threads meets the SLO, even if requests never wait" in ended.err
    assert "rates: [10/s, 21/s, 31/s]" in (in_folder / "service.yaml").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--unit", "ms"), "`--unit` is for tables, but `x.profile` is a profile"),
        (("--unit", "ms", "--column", "a"), "`--column` and `--unit` are for tables"),
    ],
)
def test_what_only_tables_need_is_not_said_of_a_profile(profile, tailc, words, said):
    ended = tailc("init", profile, *WISHES, *SPEEDUP, *words)
    assert ended.code == 64
    assert said in ended.err
    assert "a profile has its own times" in ended.err


def test_the_columns_of_a_table_are_seen_by_their_names(table, tailc, in_folder):
    assert tailc("init", table, *WISHES, *SPEEDUP, *BUSY, "--name", "web").code == 0
    text = (in_folder / "service.yaml").read_text()
    assert 'column: "demand_ms"\n  unit: ms\n' in text
    assert "held_out: 20%" in text
    assert "name: web\n" in text


def test_timings_by_degree_are_seen_and_tell_the_speedup(in_folder, tailc):
    rows = [f"{query},{degree},{90 / degree}" for query in "abcdefgh" for degree in (1, 2)]
    (in_folder / "t.csv").write_text("\n".join(["query_id,degree,duration_ms", *rows, ""]))
    assert tailc("init", "t.csv", *WISHES, *BUSY).code == 0
    text = (in_folder / "service.yaml").read_text()
    assert "timings: {request: query_id, degree: degree, duration: duration_ms}" in text
    assert "speedup:" not in text


def test_a_column_whose_name_is_no_plain_word_is_quoted(in_folder, tailc):
    rows = [f"{query},{degree},{90 / degree}" for query in "abcdefgh" for degree in (1, 2)]
    (in_folder / "t.csv").write_text("\n".join(['query,degree,"cpu, in: s_ms"', *rows, ""]))
    assert tailc("init", "t.csv", *WISHES, *BUSY).code == 0
    assert 'duration: "cpu, in: s_ms"}' in (in_folder / "service.yaml").read_text()


@pytest.mark.parametrize("name", ["2024", "1e3", "null", "true"])
def test_a_name_that_yaml_takes_for_something_else_is_quoted(table, in_folder, tailc, name):
    (in_folder / table).rename(in_folder / f"{name}.csv")
    assert tailc("init", f"{name}.csv", *WISHES, *SPEEDUP, *BUSY).code == 0
    assert f'name: "{name}"\n' in (in_folder / "service.yaml").read_text()


def test_speedups_keep_all_their_digits(table, tailc, in_folder):
    assert tailc("init", table, *WISHES, *BUSY, "--speedup", "1,1.2345678,2").code == 0
    assert "speedup: [1, 1.2345678, 2]" in (in_folder / "service.yaml").read_text()


def test_a_share_of_parallel_work_stands_for_speedups_by_amdahl(table, tailc, in_folder):
    assert tailc("init", table, *WISHES, *BUSY, "--speedup", "90%").code == 0
    text = (in_folder / "service.yaml").read_text()
    # 1 / (0.1 + 0.9 / threads), at four threads for as many cores.
    assert "speedup: [1, 1.818, 2.5, 3.077]" in text
    assert "Guessed by Amdahl's law, 90 % of the work shared: measure yours." in text


@pytest.mark.parametrize(
    "slos",
    [
        ("--slo", "p50 <= 90ms", "--slo", "p90<200 ms"),
        ("--slo", "50% 90ms, P90: 200ms"),
    ],
)
def test_several_objectives_may_be_given(table, tailc, in_folder, slos):
    assert tailc("init", table, "--cores", 4, *slos, *SPEEDUP, *BUSY).code == 0
    text = (in_folder / "service.yaml").read_text().replace("200 ms", "200ms")
    found = re.findall("percentile: (.*), latency: (.*)}", text)
    assert found == [("50%", "90ms"), ("90%", "200ms")]


def test_rates_that_are_given_are_those_of_the_spec(table, tailc, in_folder):
    rates = ("--rate", "20/s", "--rate", "0.5/s")
    assert tailc("init", table, *WISHES, *SPEEDUP, *BUSY, *rates).code == 0
    assert (in_folder / "service.yaml").read_text().endswith("rates: [20/s, 0.5/s]\n")


def test_a_response_time_asks_for_a_reason_by_the_option(table, tailc):
    ended = tailc("init", table, *WISHES, *SPEEDUP, "--measure", "response-open")
    assert ended.code == 65
    assert "give the reason why few requests waited" in ended.err


def test_what_a_load_generator_wrote_is_to_be_ingested_first(tailc, in_folder):
    (in_folder / "a run.csv").write_text((SAMPLES / "hey.csv").read_text())
    ended = tailc("init", "a run.csv", *WISHES, *SPEEDUP)
    assert ended.code == 65
    assert "`tailc ingest 'a run.csv' -o 'a run.profile'`" in ended.err


def test_a_path_with_a_space_is_quoted_in_what_comes_next(table, tailc, in_folder):
    (in_folder / table).rename(in_folder / "a b.csv")
    ended = tailc("init", "a b.csv", *WISHES, *SPEEDUP, *BUSY)
    assert "--trace 'a b.csv'" in ended.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-",), "a spec names its trace by a path"),
        (("toy.csv", "-o", "-"), "give the path of a file with `-o`"),
        (("toy.csv", "-o", "nowhere/service.yaml"), "the folder `nowhere`"),
    ],
)
def test_a_path_that_a_spec_cannot_have_is_refused(table, tailc, arguments, words):
    ended = tailc("init", *arguments, *WISHES, *SPEEDUP, *BUSY)
    assert ended.code == 64
    assert words in ended.err


def test_speedups_by_request_are_seen(in_folder, tailc):
    rows = [f"{demand},1,1.5" for demand in range(50, 60)]
    (in_folder / "t.csv").write_text("\n".join(["demand_us,speedup_1,speedup_2", *rows, ""]))
    assert tailc("init", "t.csv", "--cores", 4, "--slo", "90% 1ms", *BUSY).code == 0
    text = (in_folder / "service.yaml").read_text()
    assert "speedup: {columns: [speedup_1, speedup_2]}" in text


def test_large_rates_are_plain_numbers(in_folder, tailc):
    (in_folder / "t.csv").write_text("demand_us\n" + "50\n" * 20)
    assert tailc("init", "t.csv", *SPEEDUP, "--cores", 4, "--slo", "90% 1ms", *BUSY).code == 0
    # Four cores serve 80,000 a second.
    assert "rates: [39000/s, 70000/s]" in (in_folder / "service.yaml").read_text()


def test_a_spec_that_exists_is_kept(table, tailc, in_folder):
    (in_folder / "service.yaml").write_text("mine\n")
    ended = tailc("init", table, *WISHES, *SPEEDUP, *BUSY)
    assert (ended.code, (in_folder / "service.yaml").read_text()) == (73, "mine\n")
    assert "give another path with `-o`, or `--force`" in ended.err
    assert tailc("init", table, *WISHES, *SPEEDUP, *BUSY, "--force").code == 0


@pytest.mark.parametrize(
    ("left_out", "code", "words"),
    [
        ("--cores", 64, "`--cores` is missing"),
        ("--slo", 64, "`--slo` is missing"),
        ("--speedup", 65, "such as `--speedup"),
        ("--measure", 65, "give `--measure`: `demand-busy`"),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_written(
    table, tailc, in_folder, left_out, code, words
):
    options = {
        **dict(zip(WISHES[::2], WISHES[1::2], strict=True)),
        "--speedup": "1,1.5",
        "--measure": "demand-busy",
    }
    del options[left_out]
    ended = tailc("init", table, *(part for option in options.items() for part in option))
    assert ended.code == code
    assert words in ended.err
    assert not (in_folder / "service.yaml").exists()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--slo", "fast"), 64),
        (("--slo", "p90 <= 200"), 64),
        (("--slo", "p90 <= 200ms, p99"), 64),
        (("--slo", "p90 <= 200ms, fan_out: 3"), 64),
        (("--slo", "p100 <= 200ms"), 65),
        (("--speedup", "two"), 64),
        (("--speedup", "0%"), 64),
        (("--speedup", "101%"), 64),
        (("--speedup", "-1"), 65),
        (("--column", "nowhere", "--unit", "ms"), 65),
        (("--measure", "response-open"), 65),
    ],
)
def test_a_wish_that_no_spec_can_have_is_refused(table, tailc, in_folder, options, code):
    assert tailc("init", table, *WISHES, *SPEEDUP, *BUSY, *options).code == code
    assert not (in_folder / "service.yaml").exists()


def test_columns_that_could_all_be_the_demand_are_listed(in_folder, tailc):
    (in_folder / "t.csv").write_text("cpu_ms,wall_ms\n1,2\n")
    ended = tailc("init", "t.csv", *WISHES, *SPEEDUP, *BUSY)
    assert ended.code == 65
    assert "`cpu_ms`, `wall_ms`" in ended.err


def test_a_terminal_is_asked(table, in_folder, monkeypatch):
    monkeypatch.setattr("tailc.cli.init_command._has_terminal", lambda: True)
    arguments = ["init", table, *SPEEDUP, *BUSY]
    done = CliRunner().invoke(group, arguments, input="4\np90 <= 200ms\n", standalone_mode=False)
    assert done.return_value == 0, done.output
    assert "Cores of the server" in done.output
    assert "cores: 4" in (in_folder / "service.yaml").read_text()


def test_a_terminal_is_asked_for_what_the_trace_does_not_tell(table, in_folder, monkeypatch):
    monkeypatch.setattr("tailc.cli.init_command._has_terminal", lambda: True)
    answers = ["4", "p50 <= 90ms, p90 <= 200ms", "busy", "response-open", "one client at a time"]
    given = "\n".join([*answers, "fast", "90%", ""])
    done = CliRunner().invoke(group, ["init", table], input=given, standalone_mode=False)
    assert done.return_value == 0, done.output
    text = (in_folder / "service.yaml").read_text()
    assert "percentile: 50%, latency: 90ms" in text
    assert 'measure: response-open\n  response_time_because: "one client at a time"' in text
    assert "Guessed by Amdahl's law, 90 % of the work shared" in text


def test_an_answer_that_is_none_is_asked_for_again(table, in_folder, monkeypatch):
    monkeypatch.setattr("tailc.cli.init_command._has_terminal", lambda: True)
    answers = "none\n0\n4\n99\np90 <= 200ms\n"
    arguments = ["init", table, *SPEEDUP, *BUSY]
    done = CliRunner().invoke(group, arguments, input=answers, standalone_mode=False)
    assert done.return_value == 0, done.output
    assert "`99` is not an objective: write `--slo 'p99 <= 500ms'`" in done.output
    text = (in_folder / "service.yaml").read_text()
    assert "slo: [{percentile: 90%, latency: 200ms}]\n" in text
    assert "cores: 4" in text


OPENSLO = """\
apiVersion: openslo/v1
kind: SLO
metadata: {name: web-latency}
spec:
  indicator:
    spec:
      thresholdMetric: {metricSource: {spec: {query: web_duration_seconds}}}
  timeWindow: [{duration: 4w, isRolling: true}]
  budgetingMethod: Occurrences
  objectives: [{op: lte, value: 0.4, target: 0.9}]
"""


def test_an_openslo_document_becomes_a_spec_that_compiles(table, tailc, in_folder):
    (in_folder / "slo.yaml").write_text(OPENSLO)
    ended = tailc("init", table, "--cores", 4, *SPEEDUP, *BUSY, "--openslo", "slo.yaml")
    assert ended.code == 0, ended.err
    text = (in_folder / "service.yaml").read_text()
    assert "slo:\n  - {percentile: 90%, latency: 400ms}  # `web-latency`, line 10\n" in text
    assert "slo.yaml:8:" in ended.err
    assert "`spec.timeWindow` of 4w is not imported" in ended.err
    assert tailc("compile", "service.yaml", "--method", "grid", "-o", "build/x").code == 0


def test_servers_behind_one_answer_are_in_each_objective(table, tailc, in_folder):
    assert tailc("init", table, *WISHES, *SPEEDUP, *BUSY, "--fan-out", 3).code == 0
    text = (in_folder / "service.yaml").read_text()
    assert "slo: [{percentile: 90%, latency: 200ms, fan_out: 3}]\n" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((*WISHES, "--openslo", "slo.yaml"), "`--slo` and `--openslo` both"),
        ((*WISHES, "--openslo-unit", "ms"), "unit of thresholds of `--openslo FILE`"),
    ],
)
def test_two_ways_to_say_what_latency_must_meet_are_refused(table, tailc, options, words):
    ended = tailc("init", table, *SPEEDUP, *BUSY, *options)
    assert ended.code == 64
    assert words in ended.err


def test_one_number_of_a_speedup_is_a_question(table, tailc):
    ended = tailc("init", table, *WISHES, *BUSY, "--speedup", "0.8")
    assert ended.code == 64
    assert "is `0.8` the share of a request's work" in ended.err
    assert "`--speedup 80%`" in ended.err
    assert tailc("init", table, *WISHES, *BUSY, "--speedup", "3").code == 64


def test_all_that_is_missing_is_told_at_once(in_folder, tailc):
    (in_folder / "t.csv").write_text("a,b\n1,2\n")
    ended = tailc("init", "t.csv")
    assert ended.code == 64
    for said in ("`--cores`", "`--slo`", "`--measure`", "`--column`", "`--speedup"):
        assert said in ended.err
    ended = tailc("init", "t.csv", *WISHES)
    assert ended.code == 65
    for said in ("`--measure`", "`--column`", "`--speedup"):
        assert said in ended.err


def test_of_few_rows_none_are_held_out(in_folder, tailc):
    (in_folder / "t.csv").write_text("service_ms\r10.5\r")
    ended = tailc("init", "t.csv", *WISHES, *SPEEDUP, *BUSY)
    assert ended.code == 0
    assert "--trace HELD-OUT.csv" in ended.out
    text = (in_folder / "service.yaml").read_text()
    assert "held_out:" not in text
    assert "# The trace is too short to hold requests out" in text
    assert tailc("check", "--with-trace", "service.yaml").code == 0
    assert tailc("compile", "service.yaml", "--method", "grid", "-o", "build/x").code == 0


@pytest.mark.parametrize("ends", ["\n", "\r"])
@pytest.mark.parametrize("split", [",", ";", "\t"])
def test_whatever_a_table_is_split_by_it_becomes_the_same_spec(in_folder, tailc, split, ends):
    rows = [f"{at}{split}{10 + at % 7}" for at in range(60)]
    (in_folder / "t.csv").write_text(ends.join([f"id{split}service_ms", *rows, ""]), newline="")
    assert tailc("init", "t.csv", *WISHES, *SPEEDUP, *BUSY).code == 0
    text = (in_folder / "service.yaml").read_text()
    assert 'column: "service_ms"\n  unit: ms\n' in text
    assert "held_out: 20%" in text
    assert tailc("check", "--with-trace", "service.yaml").code == 0


def test_a_single_outlier_is_told_and_sets_no_rates(in_folder, tailc):
    (in_folder / "t.csv").write_text("\n".join(["service_ms", *["8", "12"] * 100, "3600000", ""]))
    ended = tailc("init", "t.csv", *WISHES, *SPEEDUP, *BUSY)
    assert ended.code == 0
    assert "warning[TC1208]" in ended.err
    assert "t.csv:202, row 201, column `service_ms`" in ended.err
    # The mean of the others is 10 ms: four cores serve 400 a second.
    assert "rates: [200/s, 350/s]" in (in_folder / "service.yaml").read_text()


@pytest.mark.parametrize(
    ("name", "unit"), [("Elapsed (s)", "s"), ("CPU time [ms]", "ms"), ("wall(µs)", "us")]
)
def test_a_unit_in_brackets_is_that_of_the_column(in_folder, tailc, name, unit):
    (in_folder / "t.csv").write_text("\n".join([name, *["8", "12"] * 100, ""]))
    slo = ("--cores", 4, "--slo", "p90 <= 2000s", "--rate", "0.1/s")
    ended = tailc("init", "t.csv", *slo, *SPEEDUP, *BUSY)
    assert ended.code == 0, ended.err
    assert f"unit: {unit}\n" in (in_folder / "service.yaml").read_text()


def executions(folder, header: str) -> None:
    """A table of twelve requests on one and two threads."""
    rows = [
        f"x{at},{degree},{(20 + 9 * at) / degree**0.5}" for at in range(12) for degree in (1, 2)
    ]
    (folder / "t.csv").write_text("\n".join([header, *rows, ""]))


RATED = (*WISHES, "--rate", "1/s", *BUSY)


@pytest.mark.parametrize(
    "names",
    [
        ("Job #", "Worker Count", "Elapsed (ms)"),
        ("task", "cores", "wall [ms]"),
        ("item_id", "n_threads", "took_ms"),
    ],
)
def test_executions_are_recognised_by_usual_names(in_folder, tailc, names):
    executions(in_folder, ",".join(names))
    ended = tailc("init", "t.csv", *RATED)
    assert ended.code == 0, ended.err
    text = (in_folder / "service.yaml").read_text()
    quoted = [name if name.isidentifier() else f'"{name}"' for name in names]
    expected = "timings: {{request: {}, degree: {}, duration: {}}}".format(*quoted)
    assert expected in text
    assert "speedup:" not in text
    assert "TC1507" not in ended.err


@pytest.mark.parametrize(
    ("header", "option"),
    [
        ("blob,lanes,took", "blob,lanes,took"),
        ("b l,l-1,t", " b l , l-1 , t "),
        ('"a,b",lanes,took', '"a,b",lanes,took'),
    ],
)
def test_timings_name_the_columns_of_executions(in_folder, tailc, header, option):
    executions(in_folder, header)
    ended = tailc("init", "t.csv", *RATED, "--timings", option, "--unit", "ms")
    assert ended.code == 0, ended.err
    assert "timings: {request: " in (in_folder / "service.yaml").read_text()
    assert tailc("compile", "service.yaml", "--method", "grid", "-o", "build/x").code == 0


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--timings", "blob,lanes"), 64, "does not name three columns"),
        (("--timings", "blob,,took"), 64, "does not name three columns"),
        (("--timings", "blob\nlanes,took,x"), 64, "does not name three columns"),
        (("--timings", "blob,lanes,took", "--column", "took"), 64, "`--column` and `--timings`"),
        (("--timings", "blob,lanes,took", *SPEEDUP), 64, "`--speedup` and `--timings`"),
        (("--timings", "blob,lanes,took"), 65, "give it with `--unit"),
        (("--timings", "blob,lane,took", "--unit", "ms"), 65, "did you mean `lanes`?"),
        (("--column", "took", "--unit", "ms"), 65, "`--timings REQUEST,DEGREE,DURATION`"),
    ],
)
def test_timings_that_cannot_be_read_are_refused(in_folder, tailc, options, code, words):
    executions(in_folder, "blob,lanes,took")
    ended = tailc("init", "t.csv", *RATED, *options)
    assert ended.code == code
    assert words in ended.err


@pytest.mark.parametrize("header", ["blob,lanes,took_ms", "query_id,degree,duration_ms"])
def test_executions_that_are_read_as_requests_are_warned_of(in_folder, tailc, header):
    executions(in_folder, header)
    column = header.split(",")[2]
    ended = tailc("init", "t.csv", *RATED, *SPEEDUP, "--column", column)
    assert ended.code == 0
    assert f" --> t.csv, column `{column}`" in ended.err
    for command in (("check", "--with-trace"), ("compile", "-o", "x", "--method", "grid")):
        assert "warning[TC1507]" in tailc(*command, "service.yaml").err


def test_timings_are_for_tables(profile, tailc):
    ended = tailc("init", profile, *WISHES, "--timings", "a,b,c")
    assert ended.code == 64
    assert "`--timings` is for tables" in ended.err


@pytest.mark.parametrize(
    ("median", "quantum"),
    [
        ("4ms", "500us"),
        ("17ms", "2ms"),
        ("1.1ms", "100us"),
        ("300us", "100us"),
        ("2s", "5ms"),
        ("48ms", "5ms"),
    ],
)
def test_the_quantum_is_about_a_tenth_of_the_median_demand(in_folder, tailc, median, quantum):
    (in_folder / "t.csv").write_text("\n".join(["demand_ms", *["1us", median, "9s"] * 9, ""]))
    assert tailc("init", "t.csv", *RATED, *SPEEDUP).code == 0
    assert f"quantum: {quantum}, " in (in_folder / "service.yaml").read_text()
