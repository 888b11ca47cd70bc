"""Write the tables of these pages that are made from the code: `python docs/tables.py [FOLDER]`.

A table stands between `<!-- table: NAME -->` and `<!-- end of table -->`. FOLDER is this one by
default; the tests write into a copy and compare.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import published_summary
import quantities_table
import vectors_table

from tailc.errors import Code, ExitCode
from tailc.lint.registry import OF_READERS, find_defects
from tailc.pipeline.spec import DOCUMENT_MODELS
from tailc.report.explanations import EXPLANATIONS, heading
from tailc.specs.json_schema import spec_schema

HERE = Path(__file__).resolve().parent

_TABLE = re.compile(r"(<!-- table: (.+?) -->\n).*?(?=<!-- end of table -->)", re.DOTALL)

MEANINGS = {
    ExitCode.OK: "all is well: compiled, checked, or every objective is met",
    ExitCode.MISSED: "`verify`: an objective is missed; `--budgets`: one is exceeded; "
    "`test`: a test fails",
    ExitCode.DIFFERS: "`diff --exit-code`: the policies promise or do something else; "
    "`verify --drift`: demand has changed; `fmt --check`: a spec would change",
    ExitCode.UNDECIDED: "`verify`, `--budgets`: the held-out data cannot decide, and nothing is "
    "missed or exceeded; `compile --strict`: replays cannot decide, and the policy is written",
    ExitCode.INTEGRITY: "a policy is damaged or not trusted: length, hash, structure or signature",
    ExitCode.INFEASIBLE: "`compile`: no policy meets the limits",
    ExitCode.BUDGET: "`compile`: the budget ended without a certified answer",
    ExitCode.USAGE: "the command line is wrong",
    ExitCode.BAD_CONTENT: "a spec, a trace or a policy's content is wrong",
    ExitCode.CANNOT_READ: "a file cannot be read",
    ExitCode.MISSING_PART: "an optional part is not installed, or a solver fails",
    ExitCode.BUG: "`tailc` itself failed",
    ExitCode.CANNOT_WRITE: "a file cannot be written",
    ExitCode.HUNG_UP: "the terminal is gone (SIGHUP)",
    ExitCode.INTERRUPTED: "interrupted from the keyboard (SIGINT)",
    ExitCode.TERMINATED: "ended by another process (SIGTERM)",
}


def main(folder: Path) -> None:
    """Write every table of the pages in `folder` anew."""
    for page in sorted(folder.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        page.write_text(_with_tables(text), "utf-8")


def _with_tables(page: str) -> str:
    return _TABLE.sub(lambda found: found[1] + table(found[2], page), page)


def table(name: str, page: str) -> str:
    """The table of that name, in Markdown; some are made from others of the same page."""
    made = {
        "exit codes": exit_codes,
        "errors": errors,
        "explanations": explanations,
        "defects": defects,
        "of readers": of_readers,
        "quantities": lambda: _markdown(quantities_table.HEAD, quantities_table.quantities()),
        "vectors": lambda: _markdown(vectors_table.HEAD, vectors_table.vectors()),
        "published": lambda: _markdown(published_summary.HEAD, published_summary.summary(page)),
    }
    return made.get(name, keys_of(name))()


def exit_codes() -> str:
    """Every exit code and what it means."""
    rows = [(str(int(code)), code.name, MEANINGS[code]) for code in ExitCode]
    return _markdown(("code", "name", "meaning"), rows)


def errors() -> str:
    """Every code of a finding; a warning is one that leads to no exit code of its own."""
    rows = [
        (
            code.ident,
            "warning" if code.exit_code is ExitCode.OK else "error",
            "" if code.exit_code is ExitCode.OK else str(int(code.exit_code)),
            code.title,
        )
        for code in sorted(Code, key=lambda code: code.ident)
    ]
    return _markdown(("code", "severity", "exit code", "what it says"), rows)


def explanations() -> str:
    """What `tailc explain` prints of every code."""
    codes = sorted(Code, key=lambda code: code.ident)
    return "\n".join(f"**{heading(code)}.** {EXPLANATIONS[code]}\n" for code in codes)


def defects() -> str:
    """Every defect that `tailc lint-trace` looks for itself."""
    rows = [
        (one.ident, one.name, one.severity.value, one.title, one.why, one.fix)
        for one in find_defects()
    ]
    head = ("code", "name", "severity", "defect", "effect on a policy", "what to do")
    return _markdown(head, rows)


def of_readers() -> str:
    """What readers of traces say, and `tailc lint-trace` too."""
    rows = [(code.ident, code.title) for code in sorted(OF_READERS, key=lambda code: code.ident)]
    return _markdown(("code", "meaning"), rows)


def keys_of(kind: str) -> Callable[[], str]:
    """Every key of the specs of `kind`, or of documents of days."""

    def keys() -> str:
        schema = spec_schema(DOCUMENT_MODELS[kind])
        rows = list(_keys(schema, schema, "", {}))
        return _markdown(("key", "value", "default", "meaning"), rows)

    return keys


Row = tuple[str, str, str, str]


def _keys(
    schema: dict[str, Any], part: dict[str, Any], prefix: str, told: dict[int, str]
) -> Iterator[Row]:
    """The keys of a mapping; those of one that stands elsewhere too are told where it is first.

    told: where each mapping is, by its identity.
    """
    for name, field in part["properties"].items():
        shapes = list(_shapes(schema, field))
        meaning = field.get("description") or shapes[-1].get("description", "")
        values = " or ".join(dict.fromkeys(_told(shape, told) for shape in shapes))
        needed = name in part.get("required", ())
        default = "**required**" if needed else _default(field.get("default"))
        yield f"`{prefix}{name}`", values, default, meaning
        for shape in shapes:
            inner = shape.get("items", shape)
            below = f"{prefix}{name}{'[]' if 'items' in shape else ''}."
            for mapping in _shapes(schema, inner):
                if "properties" in mapping and id(mapping) not in told:
                    told[id(mapping)] = below.removesuffix(".")
                    yield from _keys(schema, mapping, below, told)


def _shapes(schema: dict[str, Any], field: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The forms a value may have, short forms first; `null` only says that the key may be absent.

    A text that may have either of two patterns is one form.
    """
    if "$ref" in field:
        yield from _shapes(schema, schema["$defs"][field["$ref"].rpartition("/")[2]])
    elif "anyOf" in field and "type" not in field:
        for choice in field["anyOf"]:
            yield from _shapes(schema, choice)
    elif field.get("type") != "null":
        yield field


def _told(shape: dict[str, Any], told: dict[int, str]) -> str:
    return f"a mapping as `{told[id(shape)]}`" if id(shape) in told else _value(shape)


def _value(shape: dict[str, Any]) -> str:
    if "const" in shape or "enum" in shape:
        choices = shape.get("enum") or [shape["const"]]
        return ", ".join(f"`{choice}`" for choice in choices)
    if _is_quantity(shape):
        return f"such as {' or '.join(f'`{example}`' for example in shape['examples'])}"
    if shape["type"] == "array":
        inner = shape["items"]
        # Of one form that a line can tell, or of any.
        is_plain = "$ref" not in inner and ("anyOf" not in inner or _is_quantity(inner))
        return f"a list of {_plural(_value(inner))}" if is_plain else "a list"
    if shape["type"] in ("integer", "number"):
        return _number(shape)
    if "pattern" in shape:
        return "lower-case letters, digits, hyphens"
    return _PLAIN[shape["type"]]


_PLAIN = {
    "boolean": "`true` or `false`",
    "object": "a mapping",
    "string": "text",
}


def _number(shape: dict[str, Any]) -> str:
    number = "a whole number" if shape["type"] == "integer" else "a number"
    if "exclusiveMinimum" in shape:
        return f"{number} above {shape['exclusiveMinimum']}"
    to = f" to {shape['maximum']:,}" if "maximum" in shape else ""
    return f"{number} from {shape['minimum']}{to}" if "minimum" in shape else number


def _is_quantity(shape: dict[str, Any]) -> bool:
    """Whether it is a text with a unit, whose pattern allows spaces around it."""
    if "anyOf" in shape:
        return "examples" in shape
    return r"\s" in shape.get("pattern", "")


def _plural(value: str) -> str:
    if value.startswith(("a number", "a whole number")):
        return value.removeprefix("a ").replace("number", "numbers", 1)
    return "texts" if value == "text" else f"texts {value}"


def _default(value: object) -> str:
    match value:
        case None | []:
            return ""
        case bool():
            return f"`{str(value).lower()}`"
        case _:
            return f"`{value}`"


def _markdown(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
