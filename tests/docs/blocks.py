"""Fenced blocks of a Markdown document: what they are, and where they stand.

A block is run by its language:

- `console`: lines `$ command`, `> ` going on with it, then the output; a line `...` stands for any
  lines, and `...` in a line for anything in it.
- `python`: all blocks of a document share one namespace; a block with `>>>` is a doctest.
- `yaml`: a whole spec, or top-level keys to replace in a spec that is right, is checked.

A comment `<!-- file: NAME -->` right above a block means that the reader saves it as NAME, and one
`<!-- not run: WHY -->` that it is only read. Directives such as `{toctree}` are not blocks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# What follows a directive's name is its argument.
_FENCE = re.compile(r"^(?P<ticks>`{3,})(?P<language>\{[^`]*|[^\s`]*)$")
_REMARK = re.compile(r"^<!-- (?P<what>file|not run): (?P<value>.+) -->$")


@dataclass(frozen=True)
class Block:
    """`line` is that of the first line of `text`, counted from 1."""

    language: str
    text: str
    line: int
    file: str | None = None
    not_run: str | None = None

    @property
    def is_directive(self) -> bool:
        return self.language.startswith("{")


@dataclass(frozen=True)
class Step:
    """One command of a console block and the lines that it prints."""

    command: str
    output: tuple[str, ...]


def documents() -> list[Path]:
    """The README, every page of the documentation, and the READMEs of examples and runtimes."""
    built = ROOT / "docs" / "_build"
    pages = (page for page in (ROOT / "docs").rglob("*.md") if built not in page.parents)
    beside = (*ROOT.glob("examples/*/README.md"), *ROOT.glob("runtimes/*/README.md"))
    return [ROOT / "README.md", *sorted(pages), *sorted(beside)]


def blocks_of(text: str) -> list[Block]:
    """The fenced blocks in order; a fence that is not closed is an error."""
    lines = text.splitlines()
    found: list[Block] = []
    at = 0
    while at < len(lines):
        opened = _FENCE.match(lines[at])
        if opened is None:
            assert not lines[at].lstrip().startswith("```"), f"line {at + 1}: an unreadable fence"
            at += 1
            continue
        end = lines.index(opened["ticks"], at + 1)
        remark = _REMARK.match(lines[at - 1]) if at else None
        found.append(_block(opened["language"], lines[at + 1 : end], at + 2, remark))
        at = end + 1
    return found


def _block(language: str, lines: list[str], line: int, remark: re.Match[str] | None) -> Block:
    said = {remark["what"]: remark["value"]} if remark else {}
    text = "".join(f"{content}\n" for content in lines)
    return Block(language, text, line, said.get("file"), said.get("not run"))


def steps_of(block: Block) -> list[Step]:
    """The commands of a console block, each with its output."""
    steps: list[tuple[list[str], list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            steps.append(([line[2:]], []))
        elif line.startswith("> ") and steps and not steps[-1][1]:
            steps[-1][0].append(line[2:])
        else:
            assert steps, f"line {block.line}: a console block begins with a command"
            steps[-1][1].append(line)
    return [Step("\n".join(command), tuple(output)) for command, output in steps]


def agrees(expected: tuple[str, ...], got: list[str]) -> bool:
    """Whether `got` is `expected`, where `...` stands for any lines, or anything in its line."""
    if "..." not in expected:
        return len(expected) == len(got) and _same(list(expected), got)
    runs: list[list[str]] = [[]]
    for line in expected:
        if line == "...":
            runs.append([])
        else:
            runs[-1].append(line)
    first, *middle, last = runs
    end = len(got) - len(last)
    if end < len(first) or not _same(first, got) or not _same(last, got[end:]):
        return False
    return _in_order(middle, got[len(first) : end])


def _in_order(runs: list[list[str]], got: list[str]) -> bool:
    at = 0
    for run in runs:
        starts = (i for i in range(at, len(got) - len(run) + 1) if _same(run, got[i:]))
        found = next(starts, None)
        if found is None:
            return False
        at = found + len(run)
    return True


def _same(expected: list[str], got: list[str]) -> bool:
    """Whether `got` begins with the lines expected."""
    pairs = zip(expected, got, strict=False)
    return len(expected) <= len(got) and all(_fits(wanted, line) for wanted, line in pairs)


def _fits(wanted: str, line: str) -> bool:
    if "..." not in wanted:
        return wanted == line
    first, *middle, last = wanted.split("...")
    end = len(line) - len(last)
    if end < len(first) or not line.startswith(first) or not line.endswith(last):
        return False
    # The first place of each is as good as any: a pattern of `.*` would try all of them together.
    at = len(first)
    for part in middle:
        at = line.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True
