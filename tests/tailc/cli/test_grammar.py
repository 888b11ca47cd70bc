"""Random command lines, made from the options of each command, never crash one."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import click
import pytest

from tailc.errors import ExitCode
from tests.tailc.artifact.published import VECTORS
from tests.tailc.cli.test_every_reader_of_policies import commands
from tests.tailc.toy import write_toy

DOCUMENTED = set(ExitCode) - {ExitCode.BUG}
# They would run for long, or wait for a terminal.
SKIPPED = {"fleet compile", "fleet verify", "fleet diff", "sweep", "size cores", "size colocation"}
VALUES = [
    *(
        "p",
        "p.tailc",
        "toy.yaml",
        "toy.csv",
        "gone",
        ".",
        "",
        "-1",
        "0",
        "3",
        "1e400",
        "nan",
        "20ms",
    ),
    *("50%", "10/s", "0/s", "a=b", "a:b", "--", "é\x1b[31m", "9" * 40, "json", "json:out.json"),
    *("p99<=200ms", "2026-01-01T00:00Z", "bursty:idc=8,spell=2s", "seq", "all", "[1, 2]", "{"),
]
# Quick replays, if there are any.
SMALL = {"requests": "300", "replicates": "49", "repeats": "2", "jobs": "1", "threads": "1"}


def words_of(name: str, command: click.Command, rng: random.Random) -> list[str]:
    """A command line with some of the options of the command, most of them with fitting values."""
    words = name.split()
    for parameter in command.params:
        is_asked = parameter.required or rng.random() < 0.2
        # `--watch` never ends.
        if isinstance(parameter, click.Argument) or not is_asked or parameter.name == "watch":
            continue
        words.append(rng.choice(parameter.opts))
        is_flag = isinstance(parameter, click.Option) and parameter.is_flag
        if not is_flag:
            words += [value_for(parameter, rng) for _ in range(max(1, parameter.nargs))]
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            words += [value_for(parameter, rng) for _ in range(rng.choice([0, 1, 1, 1, 1, 2]))]
    if rng.random() < 0.1:
        words.insert(rng.randrange(len(words) + 1), rng.choice(VALUES))
    return words


def value_for(parameter: click.Parameter, rng: random.Random) -> str:
    if parameter.name in SMALL and rng.random() < 0.9:
        return SMALL[parameter.name]
    if isinstance(parameter.type, click.Choice) and rng.random() < 0.8:
        return str(rng.choice(list(parameter.type.choices)))
    if parameter.name in ("spec", "specs") and rng.random() < 0.7:
        return "toy.yaml"
    if parameter.name in ("artifact", "artifacts", "old", "new") and rng.random() < 0.7:
        return "p"
    return rng.choice(VALUES)


@pytest.fixture
def prepared(in_folder: Path) -> Path:
    write_toy(in_folder)
    shutil.copy(VECTORS / "demand.tailc", in_folder / "p.tailc")
    shutil.copy(VECTORS / "demand.json", in_folder / "p.json")
    return in_folder


@pytest.mark.parametrize("count", [60, pytest.param(20_000, marks=pytest.mark.fuzz)])
def test_no_command_line_is_an_internal_error(count: int, prepared: Path, tailc) -> None:
    rng = random.Random(count)
    all_commands = [pair for pair in commands() if pair[0] not in SKIPPED]
    for _ in range(count):
        words = words_of(*rng.choice(all_commands), rng)
        ended = tailc(*words)
        assert ended.code in DOCUMENTED, (words, ended)
        # A command that fails says why, here or in the file that was asked for.
        says = ended.err + ended.out
        assert says or ended.code < 64 or (prepared / "out.json").exists(), (words, ended)
