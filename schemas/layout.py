"""What lies in each table of schemas/policy.fbs, in words that every reader's verifier parses.

A line is a table's name and a word for each field, in the order of ids: the size in bytes of a
scalar or struct, `text`, a table's name, or `Form` for the union; brackets are a vector, and `!`
marks a required field. JavaScript has no accessors from flatc, so its words begin with the name of
the field, and `?` marks a number that may be absent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_HEADER = "Made by schemas/generate.py from schemas/policy.fbs: see schemas/layout.py."
_SCHEMA = Path(__file__).with_name("policy.fbs")
_PYTHON = (f"# {_HEADER}\n\nTABLES = (\n", ")\n\nFORMS = (\n", ")\n")
# What stands before the tables, between them and the forms, and at the end.
_SOURCES = {
    "tailc/artifact/_generated/layout.py": _PYTHON,
    "runtimes/python/tailc_runtime/_generated/layout.py": _PYTHON,
    "runtimes/cpp/include/tailc/_generated/layout.hpp": (
        f"// {_HEADER}\n#pragma once\n\nnamespace tailc::detail {{\n\n"
        "constexpr const char* kTables[] = {\n",
        "};\n\nconstexpr const char* kForms[] = {\n",
        "};\n\n}  // namespace tailc::detail\n",
    ),
    "runtimes/go/internal/flat/layout.go": (
        f"// {_HEADER}\n\npackage flat\n\nvar Tables = []string{{\n",
        "}\n\nvar Forms = []string{\n",
        "}\n",
    ),
    "runtimes/java/src/main/java/dev/tailc/policy/Layouts.java": (
        f"// {_HEADER}\n\npackage dev.tailc.policy;\n\npublic final class Layouts {{\n"
        "  private Layouts() {}\n\n  public static final String[] TABLES = {\n",
        "  };\n\n  public static final String[] FORMS = {\n",
        "  };\n}\n",
    ),
    "runtimes/rust/src/generated/layout.rs": (
        f"// {_HEADER}\n\npub const TABLES: &[&str] = &[\n",
        "];\n\npub const FORMS: &[&str] = &[\n",
        "];\n",
    ),
}
_NAMED_SOURCE = "runtimes/js/src/layout.js"
_NAMED = (
    f"// {_HEADER}\n\nexport const TABLES = [\n",
    "];\n\nexport const FORMS = [\n",
    "];\n",
)
_SIZES = {"ubyte": 1, "ushort": 2, "uint": 4, "long": 8, "ulong": 8}
_BLOCK = re.compile(
    r"^(table|struct|enum|union) (\w+)(?: : \w+)? \{(.*?)\}", re.DOTALL | re.MULTILINE
)
_FIELD = re.compile(r"(\w+): (\[?)(\w+)\]?(?: = (\w+))?(?: \(id: (\d+)(, required)?\))?;")


def write_layouts(root: Path) -> None:
    """The tables and forms as source of each language that reads artifacts, below `root`."""
    for name, around in _SOURCES.items():
        _write(root / name, table_lines(), around)
    _write(root / _NAMED_SOURCE, _named_table_lines(), _NAMED)


def _write(path: Path, table_lines: list[str], around: tuple[str, str, str]) -> None:
    indent = "\t" if path.suffix == ".go" else "    "
    tables, forms = (
        "".join(f'{indent}"{line}",\n' for line in lines) for lines in (table_lines, form_lines())
    )
    before, between, after = around
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(before + tables + between + forms + after, encoding="utf-8")


def table_lines() -> list[str]:
    """A line for each table, in the order of the schema."""
    return [
        f"{name} {' '.join(word for _, word, _ in _words(body))}" for name, body in _blocks("table")
    ]


def _named_table_lines() -> list[str]:
    """The same with the names of the fields, and whether a number may be absent."""
    return [
        f"{name} {' '.join(f'{field}:{word}{absent}' for field, word, absent in _words(body))}"
        for name, body in _blocks("table")
    ]


def form_lines() -> list[str]:
    """The name and the table of each form, in the order of their numbers from 1 on."""
    ((_, body),) = _blocks("union")
    tables = re.findall(r"(\w+) = \d+", body)
    return [f"{_kebab(table)} {table}" for table in tables]


def _blocks(kind: str) -> list[tuple[str, str]]:
    text = re.sub(r"//.*", "", _SCHEMA.read_text(encoding="utf-8"))
    return [(name, body) for found, name, body in _BLOCK.findall(text) if found == kind]


def _words(body: str) -> Iterator[tuple[str, str, str]]:
    """Name and word of each field, and `?` for a number that may be absent."""
    number = 0
    for name, bracket, kind, default, number_text, required in _FIELD.findall(body):
        if kind == "Form":  # its type is the field before it
            yield f"{name}_type", "1", ""
            number += 1
        assert int(number_text) == number, "fields stand in the order of their ids"
        number += 1
        word = str(_size(kind) or ("text" if kind == "string" else kind))
        word = (f"[{word}]" if bracket else word) + ("!" if required else "")
        yield name, word, "?" if default == "null" else ""


def _size(kind: str) -> int:
    """Bytes of a scalar or struct; 0 for what an offset leads to."""
    if kind in dict(_blocks("enum")):
        return 1
    structs = dict(_blocks("struct"))
    if kind not in structs:
        return _SIZES.get(kind, 0)
    sizes = [_size(part) for _, _, part, _, _, _ in _FIELD.findall(structs[kind])]
    # The widest number comes first in every struct, so that only the end is padded.
    return -(-sum(sizes) // max(sizes)) * max(sizes)


def _kebab(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
