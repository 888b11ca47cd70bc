"""Convert plain scalars of YAML 1.2 to values: `yes` is text, `012` is twelve."""

from __future__ import annotations

import re


def resolve(text: str) -> str | int | float | bool | None:
    """Convert a plain YAML scalar to its value by the core schema (YAML 1.2.2, section 10.3.2)."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base) if base == 10 else int(text[2:], base)
    return float(text) if _NUMBER.fullmatch(text) else _SPECIAL.get(text.lower(), text)


_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_SPECIAL = {
    ".nan": float("nan"),
    **dict.fromkeys((".inf", "+.inf"), float("inf")),
    "-.inf": float("-inf"),
}


def is_number(text: str) -> bool:
    """Whether a plain scalar is a number."""
    return bool(_NUMBER.fullmatch(text) or _INTEGER.fullmatch(text))
