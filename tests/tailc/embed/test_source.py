"""Whole files: what stands at their head, how long lines are, which names they have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tailc.artifact.envelope import Policy
from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import digest_of
from tailc.embed.language import MARK
from tailc.embed.languages import LANGUAGES, find_language
from tailc.embed.names import MOST_CHARACTERS
from tailc.embed.source import build_content, format_source
from tailc.errors import Code, TailcError
from tailc.forms.ladder.table import Climb
from tests.tailc.artifact.published import (
    controlled_policy,
    lucene_policy,
    policy_of,
    small_policy,
    tail_policy,
)

LONGEST = "N" + "a" * (MOST_CHARACTERS - 1)


def written(
    policy: Policy, word: str, file: str, name: str | None = None, *, is_sealed: bool = False
) -> str:
    what = build_content(policy, digest_of(policy), encode_flat(policy), is_sealed=is_sealed)
    return format_source(what, LANGUAGES[word], Path(file), name)[0]


def refusal(*arguments: str | Policy | None, is_sealed: bool = False) -> tuple[str, str]:
    with pytest.raises(TailcError) as caught:
        written(*arguments, is_sealed=is_sealed)  # type: ignore[arg-type]
    (finding,) = caught.value.findings
    assert finding.code is Code.USAGE
    return finding.message, finding.help or ""


@pytest.mark.parametrize("word", LANGUAGES)
@pytest.mark.parametrize("policy", [small_policy(), controlled_policy(), lucene_policy()])
def test_no_line_is_longer_than_100_columns(word: str, policy: Policy) -> None:
    called = replace(policy, name="n" * 300, kind="k" * 300)
    name = None if word == "rust" else LONGEST
    texts = [written(called, word, LONGEST, name)]
    texts += (
        [written(called, word, LONGEST, name, is_sealed=True)] if LANGUAGES[word].runtime else []
    )
    for line in "\n".join(texts).splitlines():
        assert len(line.expandtabs(4)) <= 100, line


@pytest.mark.parametrize("word", LANGUAGES)
def test_the_head_tells_what_it_is_of_and_how_to_make_it_again(word: str) -> None:
    policy = replace(lucene_policy(), generation=3)
    head = written(policy, word, "Lucene.x").split("\n\n")[0]
    assert head.startswith(f"{MARK}\n")
    assert '"lucene" of kind few-to-many, generation 3' in head
    assert digest_of(policy) in head
    named = {"c": " --name lucene", "java": " --name Lucene", "rust": ""}
    option = named.get(word, " --name lucene")
    assert f"tailc embed ARTIFACT --lang {word}{option} -o FILE" in head


def test_the_head_of_sealed_bytes_tells_how_they_are_opened() -> None:
    text = " ".join(written(tail_policy(), "cpp", "tails.hpp").replace("\n// ", " ").split())
    assert "The sealed bytes of a tail table and a controller, for tailc's runtime in C++" in text
    assert "tailc::open(tails_trim::kSealed, sizeof tails_trim::kSealed)" in text
    assert "--sealed" not in text
    assert " --sealed -o FILE" in written(lucene_policy(), "go", "lucene.go", is_sealed=True)


def test_the_head_of_steered_ladders_tells_that_the_controller_is_not_there() -> None:
    text = written(controlled_policy(), "rust", "controller.rs")
    assert "The controller of the policy is not included" in text.replace("\n// ", " ")
    assert "The controller" not in written(lucene_policy(), "rust", "lucene.rs")


@pytest.mark.parametrize(
    ("word", "policy", "name"),
    [
        ("c", "my-search 2", "my_search_2_lookup("),
        ("cpp", "my-search 2", "namespace my_search_2 {"),
        ("cpp", "default", "namespace default_policy {"),
        ("cpp", "tailc", "namespace tailc_policy {"),
        ("go", "my-search 2", "package mysearch2\n"),
        ("go", "range", "package rangepolicy\n"),
        ("java", "my-search 2", "public final class Held {"),
    ],
)
def test_a_policy_has_a_name_of_the_language(word: str, policy: str, name: str) -> None:
    assert name in written(replace(lucene_policy(), name=policy), word, "Held.java")


def test_packages_and_namespaces_stand_before_a_name() -> None:
    java = written(lucene_policy(), "java", "src/Held.java", "org.search.Held")
    assert "\n\npackage org.search;\n\nimport java.util.List;\n" in java
    assert "namespace a::b {" in written(lucene_policy(), "cpp", "b.hpp", "a::b")


@pytest.mark.parametrize(
    ("word", "name", "such"),
    [
        ("c", "a.b", "--name lucene"),
        ("c", "a-b", "--name lucene"),
        ("cpp", "a::class", "--name lucene"),
        ("cpp", "a::" * 21 + "b", "--name lucene"),
        ("go", "func", "--name lucene"),
        ("java", "org.search.String", "-o Lucene.java"),
        ("java", None, "-o Lucene.java"),
    ],
)
def test_a_name_that_cannot_be_is_refused_with_one_that_can(
    word: str, name: str | None, such: str
) -> None:
    message, help_ = refusal(lucene_policy(), word, "my-file.x", name)
    assert f"`{name or 'my-file'}` cannot be a name in" in message
    assert help_.endswith(such)


def test_a_class_is_named_as_its_file() -> None:
    message, help_ = refusal(lucene_policy(), "java", "src/Other.java", "org.Held")
    assert message == "a class `Held` cannot be in `src/Other.java`, which is named otherwise"
    assert help_ == "give -o src/Held.java"


def test_a_module_of_rust_has_no_other_name_than_its_file() -> None:
    assert "`held`" in refusal(lucene_policy(), "rust", "lucene.rs", "held")[0]


@pytest.mark.parametrize(
    ("policy", "form"),
    [
        (policy_of("plan"), "a plan"),
        (policy_of("shares"), "shares"),
        (tail_policy(), "a tail table and a controller"),
    ],
)
@pytest.mark.parametrize(("word", "called"), [("c", "C"), ("bpf", "C for BPF")])
def test_c_is_refused_what_needs_a_runtime(
    policy: Policy, form: str, word: str, called: str
) -> None:
    message, help_ = refusal(policy, word, "held.h")
    assert message == f"a source file in {called} takes only ladders, and the policy is {form}"
    assert "runtime in the server" in help_


def test_c_is_refused_sealed_ladders() -> None:
    message, help_ = refusal(lucene_policy(), "c", "held.h", is_sealed=True)
    assert message.endswith("takes no sealed bytes")
    assert help_.startswith("omit --sealed")


def test_an_unknown_language_is_refused_with_the_nearest() -> None:
    with pytest.raises(TailcError) as caught:
        find_language("jav")
    assert "did you mean `java`" in (caught.value.findings[0].help or "")


def test_java_is_refused_more_numbers_than_a_class_holds() -> None:
    policy = lucene_policy()
    ladder = policy.ladders[0]
    row = replace(ladder.rows[0], last_load=None)
    rows = tuple(
        replace(row, first_load=load, last_load=load, climbs=(Climb(0, 0), Climb(9, 1)))
        for load in range(2_000)
    )
    large = replace(ladder, rows=(*rows, replace(row, first_load=2_000)))
    message, help_ = refusal(replace(policy, forms=(large,)), "java", "Held.java")
    assert "at most 6,000 are supported" in message
    assert help_.startswith("give --sealed")
