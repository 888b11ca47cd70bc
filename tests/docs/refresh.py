"""Paste anew what commands print into the documents: `python -m tests.docs.refresh [DOCUMENT...]`.

An output that is still right stays, with its `...`. One that is not is pasted whole, or, where it
begins with a line `...`, from the line after that on. Read the difference before it is committed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.docs.blocks import ROOT, Block, agrees, blocks_of, documents, steps_of
from tests.docs.running import UNSTATED_EXIT, Reader


def refreshed(text: str, folder: Path) -> str:
    """The document with the outputs of its commands as they are now."""
    reader = Reader(folder)
    lines = text.splitlines(keepends=True)
    for block in blocks_of(text):
        if block.is_directive or block.not_run is not None:
            continue
        if block.language == "console":
            first = block.line - 1
            lines[first] = _console(block, reader)
            for line in range(first + 1, first + len(block.text.splitlines())):
                lines[line] = ""
        else:
            print(*reader.run(block), sep="\n", end="")
    return "".join(lines)


def _console(block: Block, reader: Reader) -> str:
    parts = []
    for step in steps_of(block):
        first, *later = step.command.splitlines()
        got = reader.output_of(step.command)
        if got and got[-1].startswith(UNSTATED_EXIT):
            sys.exit(f"nothing is written: `{step.command}` fails\n" + "\n".join(got))
        parts += [f"$ {first}", *(f"> {line}" for line in later), *_pasted(step.output, got)]
    return "".join(f"{line}\n" for line in parts)


def _pasted(output: tuple[str, ...], got: list[str]) -> list[str]:
    if agrees(output, got):
        return list(output)
    if output[:1] == ("...",) and output[1:2] and output[1] in got:
        return ["...", *got[got.index(output[1]) :]]
    return got


def main(chosen: list[str]) -> None:
    """Refresh the documents named, or all."""
    sys.path.append(str(ROOT / "runtimes" / "python"))
    for path in [Path(name).resolve() for name in chosen] or documents():
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            path.write_text(refreshed(text, Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
