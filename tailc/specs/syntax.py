"""What a YAML parser's complaint means to the person who wrote the file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """A sentence, what to do, and whether the place is where the trouble began or was noticed."""

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
            "a `:` is where no key can be",
            "put a text that contains `: ` in quotes, or check the indentation of this line",
        ),
    ),
    (
        "sequence entries are not allowed",
        Explanation(
            "a `-` is where no list can begin",
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
            "give the keys of one mapping the same indentation",
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
    """A sentence for the parser's `problem`; its own words where it is a rare one."""
    for words, explanation in _KNOWN:
        if words in problem:
            return explanation
    return Explanation(f"not YAML: {problem}", "check this line and the one above it")
