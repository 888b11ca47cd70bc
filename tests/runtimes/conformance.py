"""A runtime as its conformance programs: `vectors`, `refusals`, `differential` and its own ones."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tailc_runtime import PolicyError
from tailc_runtime.opening import policy_from

from tailc.artifact.flat_form import decode_flat
from tailc.errors import Code, TailcError

SHOWN = 4_000
"""Characters of what a program that fails has printed."""
WORDS = {
    Code.LENGTH_MISMATCH: "truncated",
    Code.HASH_MISMATCH: "hash-mismatch",
    Code.BAD_STRUCTURE: "bad-structure",
    Code.BAD_ARTIFACT: "bad-meaning",
    Code.UNKNOWN_RULE: "unknown-rule",
    Code.UNKNOWN_FORM: "unknown-form",
    Code.UNKNOWN_SCHEMA: "unknown-schema",
}


@dataclass(frozen=True)
class Reader:
    """`words_of` a program's name are those of the command that starts it."""

    words_of: Callable[[str], list[str]]

    def start(
        self, program: str, *arguments: object, lines: list[str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """How the program ends, given `lines`."""
        return subprocess.run(
            [*self.words_of(program), *map(str, arguments)],
            input="".join(f"{line}\n" for line in lines or ()),
            capture_output=True,
            text=True,
            check=False,
        )

    def run(self, program: str, *arguments: object, lines: list[str] | None = None) -> list[str]:
        """The lines that a program prints, given `lines`; it must succeed."""
        done = self.start(program, *arguments, lines=lines)
        assert done.returncode == 0, done.stdout[-SHOWN:] + done.stderr[-SHOWN:]
        return done.stdout.splitlines()

    def classified(self, folder: Path, files: list[bytes]) -> list[str]:
        """Why each file is refused, or that it opens; they are written into `folder`."""
        return self.words(written(folder, files))

    def words(self, paths: list[Path]) -> list[str]:
        """Why each file is refused, or that it opens, by one process for all."""
        return self.run("refusals", "files", lines=[str(path) for path in paths])


def written(folder: Path, files: list[bytes]) -> list[Path]:
    """The paths of files in `folder`, in place of those of an earlier call."""
    paths = [folder / f"{number}.tailc" for number in range(len(files))]
    for path, data in zip(paths, files, strict=True):
        path.write_bytes(data)
    return paths


def succeeded(command: list[str], folder: Path, environment: dict[str, str]) -> list[str]:
    """The lines that a command of a compiler prints in a folder; it must succeed."""
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-SHOWN:] + done.stderr[-SHOWN:]
    return done.stdout.splitlines()


def python_says(data: bytes) -> str:
    """Why the Python runtime refuses the bytes of a `.tailc` file, or that they open."""
    try:
        policy_from(data)
    except PolicyError as error:
        return error.name
    return "opened"


def decoder_says(data: bytes) -> str:
    """The same of what the commands of tailc decode with."""
    try:
        decode_flat(data)
    except TailcError as error:
        return WORDS[error.findings[0].code]
    return "opened"
