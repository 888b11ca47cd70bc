"""tailc why: on the kit's few-to-many policy, and what it refuses."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from tailc.artifact.files import write_policy
from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import Rule
from tailc.pipeline.auto import choice
from tests.tailc.artifact.published import lucene_policy, sharing_policy
from tests.tailc.cli.compiling import compile_in
from tests.tailc.policies.few_to_many.case import write
from tests.tailc.schemas import validate
from tests.tailc.toy import with_lines, write_toy

ROOT = Path(__file__).parents[3]
VECTORS, SCHEMAS = ROOT / "schemas/vectors/v1", ROOT / "schemas/report"
JSON = ("--output-format", "json")
QUICK = ("--requests", 1_000, "--no-progress")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("why")
    write(folder)
    compile_in(folder, "service.yaml", "-o", "kit")
    return folder


@pytest.fixture
def kit(folder, copied):
    return write(copied(folder))


def result(ended):
    return json.loads(ended.out)["result"]


def why_result(ended):
    """The document, checked against both schemas."""
    document = json.loads(ended.out)
    for found, name in ((document, "output"), (document["result"], "why")):
        validate(found, json.loads((SCHEMAS / f"{name}-1.schema.json").read_text()))
    return document["result"]


def test_without_requests_it_is_what_lookup_says(kit, tailc):
    words = ("kit.tailc", "--in-system", 2, "--age", "60ms", "--output-format", "json")
    why, lookup = why_result(tailc("why", *words)), result(tailc("lookup", *words))
    decided = why["decision"]
    assert (decided["rung"], decided["rung_name"]) == (lookup["rung"], lookup["rung_name"])
    assert why["replayed"] is None
    text = tailc("why", "kit.tailc", "--in-system", 2, "--age", "60ms").out
    assert f"runs on    {lookup['rung_name']} at 60 ms" in text


def test_the_formula_s_table_against_itself_changes_nothing(kit, tailc):
    """The spec's objective is the formula's, and its requests are those of the compile."""
    words = ("why", "kit", "--in-system", 3, "--spec", kit.spec, *QUICK)
    found = why_result(tailc(*words, "--output-format", "json"))["replayed"]
    assert (found["rate_mrps"], found["percentile_ppm"]) == (60_000, 950_000)
    assert found["is_design"]
    assert "requests of the design sample\n" in tailc(*words).out
    same = {"mean": 0, "low": 0, "high": 0}
    for theirs in (found["formula"]["row_alone"], found["formula"]["whole_table"]):
        assert theirs["change_us"] == theirs["used_change_ppm"] == same
        assert theirs["tail_us"] == found["tail_us"]
    assert 0 < found["presence"]["requests_ppm"] < 1_000_000


def test_threads_change_no_byte(kit, tailc):
    words = ("why", "kit", "--in-system", 3, "--age", "20ms", "--trace", kit.held_out, *QUICK)
    one, two = (tailc(*words, "--rate", "50/s", "--threads", threads) for threads in (1, 2))
    assert one.code == 0
    assert one.out == two.out
    assert "p95 at 50/s" in one.out
    assert "\nbinds: " in one.out
    assert "formula" not in one.out


def test_it_is_told_under_any_arrivals(kit, tailc):
    """Of requests that come two at a time a row for two holds more often."""
    header, *demands = kit.held_out.read_text().splitlines()
    rows = (f"{demand},{40 * (i // 2)}" for i, demand in enumerate(demands))
    kit.held_out.write_text("\n".join([f"{header},at", *rows]))
    words = ("why", "kit", "--in-system", 2, "--trace", kit.held_out, *QUICK)
    pairs = ("--arrivals", "recorded:at", "--arrival-unit", "ms")
    poisson, bursty, recorded = (
        why_result(tailc(*words, *more, "--output-format", "json"))["replayed"]
        for more in (
            ("--rate", "50/s"),
            ("--rate", "50/s", "--arrivals", "bursty:idc=4,spell=1s"),
            pairs,
        )
    )
    assert poisson["arrivals"] == "50/s"
    assert bursty["arrivals"].startswith("bursty 50/s, IDC 4")
    assert recorded["arrivals"] == "recorded `at` at 50.126/s"
    assert bursty["tail_us"] > poisson["tail_us"]
    assert recorded["presence"]["requests_ppm"] > poisson["presence"]["requests_ppm"]
    assert "p95 under recorded `at` at 50.126/s: " in tailc(*words, *pairs).out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--in-system", "0"), 64, "0 is not in the range"),
        ((), 64, "--in-system"),
        (("--in-system", "3", "--age", "80"), 64, "`80` has no unit"),
        (("--in-system", "3", "--rate", "4/s"), 64, "add `--trace` or `--spec`"),
        (("--in-system", "3", "--trace", "gone.csv"), 66, "gone.csv"),
        (("--in-system", "3", "--arrivals", "recorded:at"), 64, "add `--trace` or `--spec`"),
        (
            ("--in-system", "3", "--spec", "service.yaml", "--arrivals", "recorded:at"),
            64,
            "column `at` of recorded arrivals needs a trace",
        ),
        (
            ("--in-system", "3", "--trace", "heldout.csv", "--rate", "9/s", "--rate", "8/s"),
            64,
            "several are given: `8/s`, `9/s`",
        ),
        (("--in-system", "3", "--trace", "heldout.csv", "--rate", "900/s"), 64, "pile up"),
    ],
)
def test_what_does_not_fit_is_refused(kit, tailc, words, code, said):
    ended = tailc("why", "kit", *words)
    assert ended.code == code
    assert said in " ".join(ended.err.split())


def test_a_policy_without_rates_needs_one(in_folder, tailc):
    spec = write_toy(in_folder, with_lines(("rates: [10/s]\n", "")))
    assert tailc("compile", spec, "-o", "toy").code == 0
    ended = tailc("why", "toy", "--in-system", 1, "--spec", spec)
    assert ended.code == 64
    assert "such as `--rate 40/s`" in " ".join(ended.err.split())


def test_a_spec_that_has_changed_since_is_told(kit, tailc):
    words = ("why", "kit", "--in-system", 3, "--spec", kit.spec, *QUICK)
    assert "TC0605" not in tailc(*words).err
    kit.spec.write_text(kit.spec.read_text().replace("rates: [60/s]", "rates: [50/s]"))
    ended = tailc(*words)
    assert ended.code == 0
    assert "warning[TC0605]: policy `" in ended.err


def test_the_spec_of_another_server_is_refused(kit, tailc):
    kit.spec.write_text(kit.spec.read_text().replace("cores: 4", "cores: 5"))
    ended = tailc("why", "kit", "--in-system", 1, "--spec", kit.spec)
    assert ended.code == 65
    assert "other cores than policy `kit`" in " ".join(ended.err.split())


TIMED = """\
apiVersion: tailc/v1
kind: few-to-many
name: timed
slo: [{percentile: 95%, latency: 1s}]
demand: {trace: timed.csv, timings: {request: id, degree: threads, duration: ms}, unit: ms,
  measure: demand-cpu, reference: a core}
server: {cores: 2, target_parallelism: 3, boosting: false}
search: {effort: quick}
rates: [60/s]
"""


def with_the_formula(policy, chosen):
    """The policy that `auto` writes if the table of the formula is the best."""
    evidence = choice.chosen_evidence(policy.evidence, chosen, is_own=True)
    return replace(policy, evidence=evidence)


@pytest.mark.parametrize(
    ("method", "is_formula"), [("auto", False), ("auto", True), ("grid", False)]
)
def test_the_spec_has_the_rungs_of_the_requests_that_were_searched(
    tmp_path, tailc, monkeypatch, method, is_formula
):
    """Of 1,200 requests `auto` keeps a fifth back; their mean speed-up is another."""
    if is_formula:
        monkeypatch.setattr(choice, "_with_table", with_the_formula)
    draw = random.Random(3)
    lines = ["id,threads,ms"]
    for request in range(1_200):
        ms, speedup = draw.expovariate(0.1) + 0.1, draw.uniform(1, 2)
        lines += [f"{request},1,{ms:.4f}", f"{request},2,{ms / speedup:.4f}"]
    (tmp_path / "timed.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "timed.yaml").write_text(TIMED)
    compile_in(tmp_path, "timed.yaml", "--method", method, "-o", "timed")
    words = ("--in-system", 1, "--spec", tmp_path / "timed.yaml")
    ended = tailc("why", tmp_path / "timed", *words, *QUICK)
    assert ended.code == 0, ended.err


@pytest.mark.parametrize(
    ("vector", "said"),
    [
        ("tails", "has no table of rungs"),
        ("plan", "has no table of rungs"),
        ("classes", "has a table for each class"),
        ("rate", "has rows by arrival rate"),
        ("controller", "has a controller"),
    ],
)
def test_a_policy_without_one_fixed_table_is_refused(tailc, vector, said):
    ended = tailc("why", VECTORS / vector, "--in-system", 1)
    assert ended.code == 64
    assert said in " ".join(ended.err.split())


def test_on_cores_of_their_own_requests_run_if_they_have_one(tailc):
    assert "if it has a core" in tailc("why", VECTORS / "cores", "--in-system", 2).out


def descending_policy():
    """The published table, with requests that may fall."""
    policy = lucene_policy()
    rules = tuple(rule for rule in policy.ladders[0].rules if rule is not Rule.NEVER_DESCEND)
    return replace(policy, forms=(replace(policy.ladders[0], rules=rules),))


@pytest.mark.parametrize(
    "policy", [sharing_policy(Sharing(0, 8_000_000, 325_000)), descending_policy()]
)
def test_rules_that_rows_do_not_tell_are_not_tried_row_by_row(tailc, tmp_path, policy):
    path = tmp_path / "policy"
    write_policy(policy, path)
    asked = ("why", path, "--in-system", "3", "--age", "20ms")
    assert tailc(*asked).code == 0
    ended = tailc(*asked, "--trace", "any.csv", "--rate", "4/s")
    assert ended.code != 0
    assert "that are not in its" in " ".join(ended.err.split())


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--requests", "5000"), "--requests"),
        (("--seed", "2", "--threads", "1"), "--seed, --threads"),
        (("--rate", "40/s"), "--rate or --arrivals"),
    ],
)
def test_what_says_how_to_replay_needs_requests_to_replay(kit, tailc, words, named):
    ended = tailc("why", "kit", "--in-system", 1, *words)
    assert ended.code == 64
    said = " ".join(ended.err.split())
    assert f"{named} apply only to replays: add `--trace` or `--spec`" in said


def test_a_request_that_has_given_up_is_on_the_first_rung(tailc, tmp_path):
    path = tmp_path / "policy"
    write_policy(sharing_policy(Sharing(0, 8_000_000, 325_000)), path)
    before = tailc("why", path, "--in-system", "3", "--age", "324ms").out
    assert "as it has given up" not in before
    after = tailc("why", path, "--in-system", "3", "--age", "325ms")
    told = dict(line.split(maxsplit=1) for line in after.out.splitlines())
    assert told["admission"] == "while less than 8 threads are in use"
    assert told["next"] == "none: it stays there"
    assert "325 ms after its" in told["sharing"]
    decision = why_result(tailc("why", path, "--in-system", 3, "--age", "325ms", *JSON))["decision"]
    assert (decision["rung"], decision["gave_up"], decision["next"]) == (0, True, None)
    assert decision["rules"] == ["give-up", "start-below"]


def test_a_look_up_tells_what_rows_do_not(tailc, tmp_path):
    path = tmp_path / "policy"
    write_policy(sharing_policy(Sharing(0, 8_000_000, 325_000)), path)
    late = tailc("lookup", path, "--in-system", 3, "--age", "325ms").out
    assert "not yet started: start while less than 8 threads are in use" in late
    assert "325 ms after its" in late
    found = [
        json.loads(tailc("lookup", path, "--in-system", 3, "--age", age, *JSON).out)
        for age in ("324ms", "325ms")
    ]
    for document in found:
        validate(document, json.loads((SCHEMAS / "output-1.schema.json").read_text()))
        assert document["result"]["rules"] == ["give-up", "start-below"]
    assert found[0]["result"]["rung"] > found[1]["result"]["rung"] == 0
