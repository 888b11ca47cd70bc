"""Lines of at most 100 columns: comments, numbers, and string literals in pieces."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

# A tab counts as four columns; the rest is for line ends such as `;`.
WIDTH = 96
_PIECE = 72


def comment(text: str) -> str:
    """Format a text as lines that begin with `//`."""
    return textwrap.fill(
        text, WIDTH, initial_indent="// ", subsequent_indent="// ", break_on_hyphens=False
    )


def comment_text(text: str) -> str:
    """Replace characters that end a comment or begin an escape sequence."""
    return re.sub(r"[^ -\[\]-~]|[?\\]", "_", text)


def rows_of(words: Iterable[str], indent: str) -> str:
    """Format words as lines of source code, each word with a comma after it."""
    text = " ".join(f"{word}," for word in words)
    width = WIDTH - len(indent.expandtabs(4)) + len(indent)
    return textwrap.fill(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def hex_rows(data: bytes, indent: str) -> str:
    """Format bytes as lines of source code: hexadecimal, 16 per line, with commas."""
    rows = (data[start : start + 16] for start in range(0, len(data), 16))
    return "\n".join(indent + " ".join(f"0x{byte:02x}," for byte in row) for row in rows)


def pieces(characters: Sequence[str]) -> list[str]:
    """Join escaped characters to quoted pieces that fit in a line."""
    quoted = [""]
    for escaped in characters:
        if len(quoted[-1]) + len(escaped) > _PIECE:
            quoted.append("")
        quoted[-1] += escaped
    return [f'"{piece}"' for piece in quoted]


def fill_template(template: str, **parts: str) -> str:
    """Replace each `@name@` in a template; if a part is empty, its line is removed.

    Parts are not searched for further names: a policy may be called `@name@`.
    """
    empty = "|".join(name for name, part in parts.items() if not part)
    if empty:
        template = re.sub(rf"^[ \t]*@({empty})@\n", "", template, flags=re.MULTILINE)
    return re.sub(r"@(\w+)@", lambda match: parts[match[1]], template)
