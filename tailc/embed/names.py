"""Identifiers that are valid in all target languages."""

from __future__ import annotations

import re
import unicodedata

# Limits the length of lines in a file.
MOST_CHARACTERS = 40
# Two `_` in a row, or one at either end, are reserved in some languages.
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*", re.ASCII)


def snake(text: str) -> str:
    """Convert a text to lower-case letters, digits and `_`: `my_search_2` from `my-search 2`."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = [word.lower() for word in re.findall("[A-Za-z0-9]+", plain)]
    if not words or words[0][0].isdigit():
        words.insert(0, "policy")
    return "_".join(words)[:MOST_CHARACTERS].rstrip("_")


def camel(text: str, *, is_capital: bool) -> str:
    """Convert words joined by `_` to one word: `ageUs` or `AgeUs` from `age_us`."""
    first, *others = text.split("_")
    return "".join([first.capitalize() if is_capital else first, *map(str.capitalize, others)])


def is_identifier(text: str) -> bool:
    """Whether all target languages accept the text as an identifier, apart from keywords."""
    return len(text) <= MOST_CHARACTERS and _IDENTIFIER.fullmatch(text) is not None
