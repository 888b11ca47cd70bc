"""Every format of every command has the same bytes, whatever the process and the environment."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tailc.cli.output_option import FORMATS
from tests.tailc.cli.test_canaries import COMMANDS, codes_of, write_inputs

# One process for all commands of a setting.
RUN_ALL = """
import contextlib, sys
from tailc.cli import run
for number, words in enumerate(sys.argv[1:]):
    with open(f"{number}.out", "w") as out, contextlib.redirect_stdout(out):
        print(int(run(words.split())))
"""
SETTINGS = [
    {"PYTHONHASHSEED": "0"},
    {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "2", "TZ": "America/St_Johns", "NUMBA_NUM_THREADS": "1"},
    {"PYTHONHASHSEED": "3", "LC_ALL": "C.UTF-8", "COLUMNS": "40", "NUMBA_CPU_NAME": "generic"},
]


def with_all_formats(number: int, words: str) -> str:
    """The command with each format in a file; `--verbose` prints times."""
    plain = [word for word in words.partition(" --output-format")[0].split() if word != "--verbose"]
    formats = [f"--output-format {name}:{number}.{name}" for name in FORMATS]
    return " ".join([*plain, *formats])


def outputs(folder: Path, setting: dict[str, str]) -> dict[str, bytes]:
    folder.mkdir()
    write_inputs(folder, random.Random(1), ["a", "b", *map(str, range(500))])
    commands = [with_all_formats(*each) for each in enumerate(COMMANDS)]
    subprocess.run(
        [sys.executable, "-c", RUN_ALL, *commands],
        cwd=folder,
        env=os.environ | setting,
        check=True,
        capture_output=True,
    )
    for number, words in enumerate(COMMANDS):
        code = int((folder / f"{number}.out").read_text().splitlines()[-1])
        assert code in codes_of(words), words
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.fuzz
def test_each_output_of_each_command_has_the_same_bytes(tmp_path: Path) -> None:
    found = [outputs(tmp_path / str(at), setting) for at, setting in enumerate(SETTINGS)]
    assert len(found[0]) > len(COMMANDS) * len(FORMATS)
    for other in found[1:]:
        assert other.keys() == found[0].keys()
        assert [name for name in other if other[name] != found[0][name]] == []
