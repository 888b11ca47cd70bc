"""tailc diff from the command line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tailc.artifact.files import write_policy
from tailc.forms.ladder.table import Climb, Ladder
from tests.tailc.artifact.published import VECTORS, lucene_policy
from tests.tailc.cli.compiling import compile_in
from tests.tailc.schemas import validate
from tests.tailc.toy import with_lines, write_toy

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas/report/diff-1.schema.json").read_text())
LUCENE = str(VECTORS / "lucene.tailc")


def with_climb_later(ladder: Ladder) -> Ladder:
    """The row for 14 requests climbs to its second rung 20 ms later."""
    rows = list(ladder.rows)
    place = next(i for i, row in enumerate(rows) if row.first_load == 14)
    first, second, *others = rows[place].climbs
    second = Climb(second.age_us + 20_000, second.rung)
    rows[place] = replace(rows[place], climbs=(first, second, *others))
    return replace(ladder, rows=tuple(rows))


@pytest.fixture
def changed(in_folder):
    """The published table with one climb changed, as an artifact."""
    policy = lucene_policy()
    form = with_climb_later(policy.forms[0])
    write_policy(replace(policy, generation=2, forms=(form,)), "changed")
    return "changed.tailc"


def test_a_changed_climb_is_one_line(changed, tailc):
    ended = tailc("diff", LUCENE, changed)
    assert ended.code == 0
    assert "  14         d2 100 ms -> 120 ms\n" in ended.out
    assert "generation: 1 -> 2" in ended.out


def test_only_with_exit_code_does_a_difference_exit_2(changed, tailc):
    assert tailc("diff", LUCENE, changed).code == 0
    assert tailc("diff", LUCENE, changed, "--exit-code").code == 2


def test_the_same_policy_in_either_encoding_exits_0(tailc):
    ended = tailc("diff", LUCENE, VECTORS / "lucene.json", "--exit-code")
    assert ended.code == 0
    assert ended.out.endswith("both have the same SLO and make the same decisions\n")


def test_evidence_alone_is_no_difference(in_folder, tailc):
    policy = lucene_policy()
    write_policy(replace(policy, evidence=replace(policy.evidence, evaluations=1)), "other")
    ended = tailc("diff", LUCENE, "other.json", "--exit-code")
    assert ended.code == 0
    assert "evidence (1)" in ended.out


def test_another_service_is_compared_with_a_warning(tailc):
    ended = tailc("diff", LUCENE, VECTORS / "rate.tailc", "--exit-code")
    assert ended.code == 2
    assert "warning[TC0651]" in ended.err


def test_text_has_forty_lines_at_most_and_json_has_all(tailc):
    arguments = ("diff", VECTORS / "largest.json", LUCENE)
    ended = tailc(*arguments)
    assert len(ended.out.splitlines()) <= 40
    document = json.loads(tailc(*arguments, "--output-format", "json").out)
    assert document["result"]["format"] == "tailc-diff"


def test_github_output_is_one_notice(changed, tailc):
    ended = tailc("diff", LUCENE, changed, "--output-format", "github")
    assert ended.out.startswith("::notice title=policy diff::`lucene` generation 1 -> 2: ")
    assert ended.out.count("\n") == 1


@pytest.mark.parametrize(
    ("damage", "code"), [(lambda data: data[:-3], 5), (lambda _: b"", 5), (None, 66)]
)
def test_an_artifact_that_cannot_be_read_ends_it(damage, code, changed, tailc, in_folder):
    if damage is None:
        (in_folder / changed).unlink()
        (in_folder / "changed.json").unlink()
    else:
        data = (in_folder / changed).read_bytes()
        (in_folder / changed).write_bytes(damage(data))
    ended = tailc("diff", LUCENE, changed)
    assert ended.code == code
    assert "changed.tailc" in ended.err


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diff")
    rows = "".join(f"{i},{10 + i * i % 97}\n" for i in range(400))
    held_out = ("reference: one thread", "reference: one thread\n  held_out: 25%")
    trace = "request,demand_ms\n" + rows
    write_toy(folder, with_lines(held_out), trace)
    compile_in(folder, "toy.yaml", "-o", "old")
    fewer = ("target_parallelism: 6", "target_parallelism: 4")
    write_toy(folder, with_lines(held_out, fewer), trace)
    compile_in(folder, "toy.yaml", "-o", "new", "--previous", "old.tailc")
    return folder


@pytest.fixture
def services(folder, copied):
    """Two compiles of the worked example, the newer with fewer threads, and a held-out trace."""
    return copied(folder)


QUICK = ("--requests", "400", "--replicates", "50")


def test_on_a_trace_it_tells_who_runs_otherwise_and_what_changes(services, tailc):
    ended = tailc("diff", "old", "new", "--trace", "toy.csv", *QUICK, "--exit-code")
    assert ended.code == 2, ended.err
    assert " held-out requests, 50 bootstrap replicates, 400 requests a replay" in ended.out
    assert "10/s" in ended.out
    assert len(ended.out.splitlines()) <= 40


def test_what_it_tells_of_a_trace_fits_its_schema(services, tailc):
    arguments = ("--trace", "toy.csv", *QUICK, "--rate", "5/s", "--output-format", "json")
    result = json.loads(tailc("diff", "old", "new", *arguments).out)["result"]
    validate(result, SCHEMA)
    assert [point["rate_mrps"] for point in result["behaviour"]["points"]] == [5000]


@pytest.mark.parametrize(
    "words",
    [
        ("--rate", "40/s"),
        ("--seed", "0"),
        ("--seed", "1"),
        ("--format", "csv"),
        ("--allow-compile-trace",),
        ("--arrivals", "recorded:at"),
    ],
    ids=" ".join,
)
def test_options_of_a_replay_without_a_trace_are_a_usage_error(words, tailc):
    ended = tailc("diff", LUCENE, VECTORS / "rate.tailc", *words)
    assert ended.code == 64
    assert "--trace" in ended.err


def test_a_trace_that_does_not_fit_ends_it_as_it_ends_verify(services, tailc):
    (services / "other.csv").write_text("request,demand\n1,5\n")
    assert tailc("diff", "old", "new", "--trace", "other.csv").code == 65
    assert tailc("diff", "old", "new", "--trace", "gone.csv").code == 66
