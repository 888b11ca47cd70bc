"""Identifiers that every language takes."""

from __future__ import annotations

import pytest

from tailc.embed.names import camel, is_identifier, snake


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("websearch", "websearch"),
        ("my-search 2", "my_search_2"),
        ("__Søk--naïve__", "sk_naive"),
        ("2nd tier", "policy_2nd_tier"),
        ("検索", "policy"),
        ("", "policy"),
        ("a" * 39 + " b", "a" * 39),
    ],
)
def test_a_name_of_letters_digits_and_underlines_is_made_of_any(text: str, name: str) -> None:
    assert snake(text) == name
    assert is_identifier(name)


def test_words_are_joined_by_capitals() -> None:
    assert camel("boost_below_ppm", is_capital=True) == "BoostBelowPpm"
    assert camel("age_us", is_capital=False) == "ageUs"


@pytest.mark.parametrize(
    "text", ["", "2nd", "_a", "a_", "a__b", "a-b", "a.b", "é", "a" * 41, "a\n"]
)
def test_what_some_language_does_not_take_is_no_identifier(text: str) -> None:
    assert not is_identifier(text)
