"""Explain errors of the YAML parser."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """An explanation of a YAML parser's error for users: message and advice.

    where_it_began: whether the place to report is where the error begins, instead of where the
    parser noticed it.
    """

    message: str
    help: str
    where_it_began: bool = False


_KNOWN = (
    (
        "found character '\\t'",
        Explanation("a tab is used where YAML needs spaces", "indent with spaces"),
    ),
    (
        "mapping values are not allowed",
        Explanation(
            "a `:` is at a place that cannot have a key",
            "put a text that contains `: ` in quotes, or check the indentation of this line",
        ),
    ),
    (
        "sequence entries are not allowed",
        Explanation(
            "a `-` is at a place where no list can begin",
            'begin the list on the next line; as a value, write `"-"`',
        ),
    ),
    (
        "could not find expected ':'",
        Explanation(
            "a key without `:`",
            "write `key: value`, with a space after the colon",
            where_it_began=True,
        ),
    ),
    (
        "expected <block end>",
        Explanation(
            "this line does not fit the indentation above it",
            "indent all keys of a mapping equally",
        ),
    ),
    (
        "found unexpected end of stream",
        Explanation("a quote is never closed", "close it with the same quote", where_it_began=True),
    ),
    (
        "expected ',' or ']'",
        Explanation(
            "a list in brackets is not closed",
            "close it with `]`, or add a `,`",
            where_it_began=True,
        ),
    ),
    (
        "expected ',' or '}'",
        Explanation(
            "a mapping in braces is not closed",
            "close it with `}`, or add a `,`",
            where_it_began=True,
        ),
    ),
    (
        "cannot start any token",
        Explanation("this character cannot begin a value", "put the value in quotes"),
    ),
    (
        "found unknown escape character",
        Explanation("an unknown escape after `\\`", "use single quotes, or write `\\\\`"),
    ),
)


def explain(problem: str) -> Explanation:
    """Explain an error of the YAML parser; a rare error is quoted."""
    for words, explanation in _KNOWN:
        if words in problem:
            return explanation
    return Explanation(f"not YAML: {problem}", "check this line and the one above it")
