"""Lines of at most 100 columns: comments, numbers, and texts in pieces."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

# Tabs count four; what ends a line, such as `;`, has room beyond.
WIDTH = 96
_PIECE = 72


def comment(text: str) -> str:
    """The text in lines that begin with `//`."""
    return textwrap.fill(
        text, WIDTH, initial_indent="// ", subsequent_indent="// ", break_on_hyphens=False
    )


def harmless(text: str) -> str:
    """The text as a comment may hold it: no character that ends it or that begins an escape."""
    return re.sub(r"[^ -\[\]-~]|[?\\]", "_", text)


def rows_of(words: Iterable[str], indent: str) -> str:
    """The words in lines, each with a comma after it."""
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
    """The bytes in hexadecimal, 16 a line, each with a comma after it."""
    rows = (data[at : at + 16] for at in range(0, len(data), 16))
    return "\n".join(indent + " ".join(f"0x{byte:02x}," for byte in row) for row in rows)


def pieces(characters: Sequence[str]) -> list[str]:
    """Characters, each as the language writes it, in quoted pieces that fit in a line."""
    found = [""]
    for written in characters:
        if len(found[-1]) + len(written) > _PIECE:
            found.append("")
        found[-1] += written
    return [f'"{piece}"' for piece in found]


def spliced(template: str, **parts: str) -> str:
    """The template with each `@name@` replaced; a part that is empty takes its line along.

    Parts are not looked through: a policy may be called `@name@`.
    """
    empty = "|".join(name for name, part in parts.items() if not part)
    if empty:
        template = re.sub(rf"^[ \t]*@({empty})@\n", "", template, flags=re.MULTILINE)
    return re.sub(r"@(\w+)@", lambda found: parts[found[1]], template)
