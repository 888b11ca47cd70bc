"""tailc diff from the command line."""

import json
from dataclasses import replace

import pytest

from tailc.artifact.files import write_policy
from tailc.forms.ladder.table import Climb, Ladder
from tests.tailc.artifact.published import VECTORS, lucene_policy

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
    assert ended.out.endswith("both promise and do the same\n")


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
