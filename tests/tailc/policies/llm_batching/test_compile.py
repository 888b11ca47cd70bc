"""llm-batching specs from the command line: both methods, SLOs that cannot be met, and verify."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from tailc.artifact.files import read_policy
from tailc.forms.step_times import step_ns
from tests.tailc.artifact.published import VECTORS
from tests.tailc.policies.llm_batching.case import steps, swapped, trace, write

LUCENE = VECTORS / "lucene.tailc"
SCHEMA = Path(__file__).parents[4] / "schemas" / "report" / "tokens-1.schema.json"
ONE_STEP = ("search: {effort: quick}", "search: {method: one-step}")


def test_no_iteration_of_a_one_step_table_takes_longer_than_the_limit(tmp_path, tailc):
    case = write(tmp_path, swapped(ONE_STEP))
    assert tailc("compile", case.spec, "-o", tmp_path / "p", "--no-progress").code == 0
    table = read_policy(tmp_path / "p").budget_table
    ends = [*(row.first_decoding for row in table.rows[1:]), table.engine.max_sequences + 1]
    assert table.rows[0].budgets == (2_048,) * 7
    for row, end in list(zip(table.rows, ends, strict=True))[1:]:
        full = table.engine.cache_tokens
        for budget in row.budgets:
            times = [
                step_ns(table.engine.step, budget + more - end + 1, end - 1, full)
                for more in (0, 1)
            ]
            assert times[0] <= 40_000_000 < times[1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("latency: 40ms", "latency: 3ms"), "`itl p95 <= 3 ms` cannot be met"),
        (("latency: 2s", "latency: 20ms"), "`ttft p95 <= 20 ms` cannot be met"),
        (("metric: itl", "metric: tpot"), None),
    ],
)
def test_an_slo_that_no_table_meets_is_refused_where_it_stands(tmp_path, tailc, change, words):
    case = write(tmp_path, swapped(ONE_STEP, change))
    ended = tailc("compile", case.spec, "--dry-run", "--no-progress")
    if words is None:
        assert ended.code == 0
        return
    assert ended.code == 6
    assert words in ended.err
    assert "service.yaml:" in ended.err
    assert "relax the latency to more than" in ended.err


def test_a_prompt_above_the_percentile_does_not_make_the_slo_infeasible(tmp_path, tailc):
    """The 95th percentile of 320 requests is the 304th; the 16 longest prompts need 0.6 s."""
    long = ("kv_blocks: 600", "kv_blocks: 2000"), ("latency: 2s", "latency: 300ms")
    case = write(tmp_path, swapped(ONE_STEP, *long))
    lines = case.design.read_text().splitlines()
    for at in range(1, 17):
        lines[at] = f"{lines[at].split(',')[0]},8000,3"
    case.design.write_text("\n".join(lines) + "\n")
    words = ("compile", case.spec, "--dry-run", "--no-progress", "--allow-misses")
    ended = tailc(*words)
    assert ended.code == 0, ended.err
    lines[17] = f"{lines[17].split(',')[0]},8000,3"
    case.design.write_text("\n".join(lines) + "\n")
    assert "cannot be met" in tailc(*words).err


def test_a_policy_that_misses_an_slo_is_written_only_if_that_is_allowed(tmp_path, tailc):
    """At 40 requests a second the queue grows."""
    case = write(tmp_path, swapped(ONE_STEP, ("rates: [9/s, 13/s]", "rates: [40/s]")))
    words = ("compile", case.spec, "-o", tmp_path / "p", "--no-progress")
    refused = tailc(*words)
    assert refused.code == 6
    assert "`ttft p95 <= 2 s` is missed: at 40/s" in refused.err
    assert not (tmp_path / "p.tailc").exists()
    allowed = tailc(*words, "--allow-misses")
    assert allowed.code == 0
    assert "TC0554" in allowed.err
    judged = tailc("verify", tmp_path / "p", "--trace", case.held_out, "--baselines", "none")
    assert judged.code == 1


def test_a_static_budget_that_is_better_at_a_rate_is_named(tmp_path, tailc):
    """At 13/s the faster budgets exceed the limit of gaps."""
    case = write(tmp_path, swapped(ONE_STEP))
    compiled = tailc("compile", case.spec, "-o", tmp_path / "p", "--no-progress")
    words = ("--allow-compile-trace", "--baselines", "static-2048", "--output-format", "json")
    judged = tailc("verify", tmp_path / "p", "--trace", case.design, *words)
    own, static = (
        [run["slos"][number]["us"] for number in (0, 1)]
        for point in json.loads(judged.out)["result"]["points"][:1]
        for run in (point["policy"], *point["baselines"])
    )
    assert static[1] <= 40_000
    shorter = f"{100 * (1 - static[0] / own[0]):.1f} %"
    assert (
        "warning[TC0573]: at 9/s the setting by hand `static, 2,048 tokens` has a ttft p95 that "
        f"is {shorter} shorter than that of the policy, and meets the other SLOs\n"
    ) in compiled.err
    assert "search.method: auto" in compiled.err
    assert "service.yaml:15:" in compiled.err


def test_if_no_table_is_better_the_policy_has_the_static_budget(tmp_path, tailc):
    """Requests that are alone take one iteration with any large budget."""
    case = write(tmp_path, swapped(("rates: [9/s, 13/s]", "rates: [0.01/s]"), ("40ms", "100ms")))
    compiled = tailc("compile", case.spec, "-o", tmp_path / "p", "--no-progress")
    assert "warning[TC0567]: no table is better than one budget of 1,024 tokens" in compiled.err
    assert "TC0573" not in compiled.err
    table = read_policy(tmp_path / "p").budget_table
    assert [row.budgets for row in table.rows] == [(1_024,)]


def test_a_request_beyond_the_cache_is_refused_with_its_row(tmp_path, tailc):
    case = write(tmp_path, swapped(("kv_blocks: 600", "kv_blocks: 50")))
    ended = tailc("compile", case.spec, "--dry-run", "--no-progress")
    assert ended.code == 65
    assert "the cache of the engine holds 800" in ended.err
    assert "design.csv, row " in ended.err


def test_a_cache_beyond_the_format_is_refused_where_it_is_written(tmp_path, tailc):
    case = write(tmp_path, swapped(("kv_blocks: 600", "kv_blocks: 4194305")))
    ended = tailc("check", case.spec)
    assert ended.code == 65
    assert "`engine.kv_blocks` gives a cache of 67,108,880 tokens with blocks of 16" in ended.err
    assert "service.yaml:12:" in ended.err


@pytest.mark.parametrize(
    ("column", "words"),
    [(0, "no iteration with prompt tokens"), (1, "no iteration with decoding sequences")],
)
def test_a_profile_without_prompts_or_decoding_is_refused(tmp_path, tailc, column, words):
    """Otherwise the missing ones would take no time."""
    case = write(tmp_path, swapped(ONE_STEP))
    head, *lines = steps().splitlines()
    chosen = [line for line in lines if line.split(",")[column] == "0"]
    (tmp_path / "steps.csv").write_text("\n".join([head, *chosen]) + "\n")
    ended = tailc("compile", case.spec, "--dry-run", "--no-progress")
    assert ended.code == 65
    assert words in ended.err
    assert "service.yaml:11:" in ended.err


def test_budgets_and_batches_beyond_the_profile_are_warned_of(tmp_path, tailc):
    changes = ("max_budget: 2048", "max_budget: 4096"), ("max_sequences: 16", "max_sequences: 17")
    case = write(tmp_path, swapped(ONE_STEP, *changes))
    ended = tailc("compile", case.spec, "--dry-run", "--no-progress")
    assert "of up to 2,064 tokens, but the table has budgets of up to 4,096;" in ended.err
    assert "set `engine.max_budget: 2064`" in ended.err
    assert "of up to 16 decoding sequences, but the engine batches up to 17;" in ended.err
    assert ended.err.count("TC0589") == 2


def test_a_missing_profile_names_the_line_of_the_spec(tmp_path, tailc):
    case = write(tmp_path)
    (tmp_path / "steps.csv").unlink()
    ended = tailc("check", case.spec)
    assert ended.code == 66
    assert "named on line 11 of" in ended.err


def test_verify_without_rates_replays_the_recorded_one(tmp_path, tailc):
    case = write(tmp_path, swapped(ONE_STEP, ("rates: [9/s, 13/s]\n", "")))
    words = ("--no-progress", "--allow-misses")
    assert tailc("compile", case.spec, "-o", tmp_path / "p", *words).code == 0
    ended = tailc(
        *("verify", tmp_path / "p", "--trace", case.held_out, "--output-format", "json"),
        *("--baselines", "static-512,chunk-64,prompts-first,best-static"),
    )
    result = json.loads(ended.out)["result"]
    jsonschema.validate(result, json.loads(SCHEMA.read_text()))
    (point,) = result["points"]
    assert 7_000 < point["rate_mrps"] < 9_000
    names = [run["name"] for run in point["baselines"]]
    assert names == ["static-512", "chunk-64", "prompts-first", "best-static"]
    by_name = {run["name"]: run["slos"] for run in point["baselines"]}
    ttft = {name: slos[0]["us"] for name, slos in by_name.items()}
    assert ttft["prompts-first"] <= ttft["static-512"] <= ttft["chunk-64"]
    notes = {run["name"]: run["note"] for run in point["baselines"]}
    assert notes["prompts-first"] == "2,048 tokens"
    assert notes["best-static"] in ("512 tokens", "1,024 tokens", "2,048 tokens")
    assert abs(sum(map(sum, point["cells_ppm"])) - 1_000_000) < 100


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rate", "9/s"), "--rate and --arrivals do not apply"),
        (("--requests", "400"), "--requests does not apply"),
        (("--baselines", "static-0"), "a budget of 0 starts no prompt"),
        (("--baselines", "static"), "there is no baseline `static`"),
        (("--drift",), "no demand of requests"),
    ],
)
def test_options_without_an_effect_are_refused(tmp_path, tailc, words, message):
    case = write(tmp_path, swapped(ONE_STEP))
    assert tailc("compile", case.spec, "-o", tmp_path / "p", "--no-progress").code == 0
    ended = tailc("verify", tmp_path / "p", "--trace", case.held_out, *words)
    assert ended.code == 64
    assert message in ended.err


def test_commands_about_demands_say_that_tokens_have_none(tmp_path, tailc):
    case = write(tmp_path, swapped(ONE_STEP))
    assert tailc("compile", case.spec, "-o", tmp_path / "p", "--no-progress").code == 0
    of_trace = ("--trace", case.held_out)
    for words, message in (
        (("lint-trace", "--spec", case.spec), "has tokens"),
        (("size", tmp_path / "p", LUCENE, *of_trace), "`lucene` has no token budgets"),
        (("why", tmp_path / "p", "--in-system", "3", *of_trace), "--in-system do not apply"),
        (("report", tmp_path / "p", "-o", tmp_path / "r.html", *of_trace), "token budgets"),
        (("diff", tmp_path / "p", LUCENE, *of_trace), "`lucene` has no token budgets"),
        (("embed", tmp_path / "p", "--lang", "c", "-o", tmp_path / "p.h"), "takes only ladders"),
        (("lookup", tmp_path / "p", "--age", "4ms"), "has token budgets: --age does not apply"),
    ):
        ended = tailc(*words)
        assert ended.code == 64, (words, ended.err)
        assert message in ended.err


def test_pages_have_a_map_of_the_budgets(tmp_path, tailc):
    case = write(tmp_path, swapped(ONE_STEP))
    page = tmp_path / "compiled.html"
    words = ("-o", tmp_path / "p", "--no-progress", "--report", page)
    assert tailc("compile", case.spec, *words).code == 0
    for each in (page, tmp_path / "verdict.html", tmp_path / "policy.html"):
        if each.name == "verdict.html":
            tailc("verify", tmp_path / "p", "--trace", case.held_out, "--report", each)
        if each.name == "policy.html":
            tailc("report", tmp_path / "p", "-o", each)
        assert "Token budgets by decoding sequences" in each.read_text()


def test_both_parts_of_a_split_trace_are_used_where_they_belong(tmp_path, tailc):
    held_out = "  reference: a service of the kit\n  held_out: 30%\n"
    case = write(tmp_path, swapped(ONE_STEP, ("  reference: a service of the kit\n", held_out)))
    words = ("-o", tmp_path / "p", "--no-progress", "--allow-misses")
    assert tailc("compile", case.spec, *words).code == 0
    whole = tailc("verify", tmp_path / "p", "--trace", case.design, "--baselines", "none")
    assert "96 held-out requests" in whole.out
    assert tailc("split", case.spec, "-o", tmp_path / "part").code == 0
    part = tmp_path / "part.held-out.parquet"
    again = tailc("verify", tmp_path / "p", "--trace", part, "--baselines", "none")
    assert again.out == whole.out


def test_slos_of_a_class_count_its_requests_and_budgets_are_multiples_of_a_step(tmp_path, tailc):
    of_class = ("latency: 2s}", "latency: 2s, class: short}")
    step = ("  max_budget: 2048\n", "  max_budget: 2048\n  budget_step: 64\n")
    case = write(tmp_path, swapped(ONE_STEP, of_class, step))
    assert "`slo[0].class` needs the class of each request" in tailc("check", case.spec).err
    columns = ("tokens:\n", "tokens:\n  class: kind\n  priority: urgency\n")
    case.spec.write_text(swapped(ONE_STEP, of_class, step, columns))
    for path in (case.design, case.held_out):
        head, *rows = path.read_text().splitlines()
        urgent = ["short,0" if int(row.split(",")[1]) <= 60 else "long,1" for row in rows]
        lines = [f"{row},{more}" for row, more in zip(rows, urgent, strict=True)]
        path.write_text("\n".join([f"{head},kind,urgency", *lines]) + "\n")
    words = ("-o", tmp_path / "p", "--no-progress", "--allow-misses")
    assert tailc("compile", case.spec, *words).code == 0
    policy = read_policy(tmp_path / "p")
    assert all(budget % 64 == 0 for row in policy.budget_table.rows for budget in row.budgets)
    words = ("verify", tmp_path / "p", "--trace", case.held_out, "--baselines", "clairvoyant")
    judged = json.loads(tailc(*words, "--output-format", "json").out)["result"]
    jsonschema.validate(judged, json.loads(SCHEMA.read_text()))
    for point in judged["points"]:
        least, none = point["bounds_us"]
        assert 0 < least <= point["baselines"][0]["slos"][0]["us"]
        assert least <= point["policy"]["slos"][0]["us"]
        assert none is None
    assert "ttft p95 <= 2 s for class short" in tailc(*words).out
    case.held_out.write_text(case.held_out.read_text().replace("short", "brief"))
    refused = tailc(*words)
    assert refused.code == 65
    assert "no request is of the class `short` of `slo`" in refused.err


def test_the_goodput_of_a_table_is_no_less_than_that_of_a_static_budget(tmp_path, tailc):
    goal = ("search: {effort: quick}", "search: {effort: quick, objective: goodput}")
    case = write(tmp_path, swapped(goal))
    ended = tailc("compile", case.spec, "-o", tmp_path / "p", "--no-progress", "--allow-misses")
    assert ended.code == 0
    assert "least goodput" not in ended.out
    words = ("--trace", case.held_out, "--output-format", "json", "--baselines", "best-static")
    points = json.loads(tailc("verify", tmp_path / "p", *words).out)["result"]["points"]
    for point in points:
        assert point["policy"]["goodput_ppm"] >= point["baselines"][0]["goodput_ppm"]


def test_the_highest_rate_of_a_table_is_no_less_than_that_of_a_static_budget(tmp_path, tailc):
    goal = ("search: {effort: quick}", "search: {effort: quick, objective: rate, monotone: true}")
    case = write(tmp_path, swapped(goal))
    ended = tailc("compile", case.spec, "-o", tmp_path / "p", "--no-progress", "--allow-misses")
    assert ended.code == 0
    assert "highest rate by auto" in ended.out
    words = ("--trace", case.held_out, "--output-format", "json", "--baselines", "best-static")
    sized = json.loads(tailc("size", tmp_path / "p", *words).out)["result"]
    own, by_hand = (one["rate_mrps"] for one in sized["capacities"])
    assert own >= by_hand
    budgets = np.array([row.budgets for row in read_policy(tmp_path / "p").budget_table.rows])
    assert np.all(np.diff(budgets, axis=0) <= 0)
    assert np.all(np.diff(budgets, axis=1) >= 0)


def test_the_case_is_the_same_every_time():
    assert trace(1) == trace(1) != trace(2)
    assert steps().startswith("prompt,decoding,context,time\n0,1,0,5.3000\n")
