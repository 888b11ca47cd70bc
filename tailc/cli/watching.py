"""Repeat a task whenever one of some files changes, until it is interrupted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from tailc.cli.outcome import CommandOutcome
from tailc.errors import TailcError
from tailc.input_files import inputs_held
from tailc.units import plural

_POLL_S = 0.2

Stamps = dict[str, tuple[int, int, int] | None]


def watch_and_print(
    make: Callable[[], CommandOutcome], files: Callable[[], Iterable[str]]
) -> CommandOutcome:
    """Run `make` now and after each change, and print each outcome as text, until interrupted."""

    def work() -> None:
        try:
            outcome = make()
        except TailcError as error:
            outcome = CommandOutcome(error.exit_code, findings=error.findings)
        _print_outcome(outcome)

    rounds = watch(work, files)
    text = f"watched for {plural(rounds, 'round')}"
    return CommandOutcome(text=text, result={"files": [], "rounds": rounds})


def _print_outcome(outcome: CommandOutcome) -> None:
    from tailc.cli.outcome import show
    from tailc.cli.output_option import TEXT

    show("compile", outcome, [TEXT])
    click.echo("watching; interrupt to end", err=True)


def watch(
    work: Callable[[], None],
    files: Callable[[], Iterable[str]],
    wait: Callable[[float], object] | None = None,
) -> int:
    """Run `work` now and after each change of the files `files()`; return the number of runs.

    Ends when interrupted. A change counts once the files are stable for a fifth of a second, since
    an editor or a copy may write a file in several steps. Changes during a run cause another run.
    """
    rounds = 0
    try:
        while True:
            # Each round reads its inputs again.
            with inputs_held():
                stamps = _stamps(files())
                work()
                rounds += 1
            _wait_for_change(stamps, files, wait or time.sleep)
    except KeyboardInterrupt:
        return rounds


def _wait_for_change(
    stamps: Stamps, files: Callable[[], Iterable[str]], wait: Callable[[float], object]
) -> None:
    # The work may have found other files to watch; their changes count from now on.
    watched_stamps = {path: stamps.get(path, stamp) for path, stamp in _stamps(files()).items()}
    while (now := _stamps(watched_stamps)) == watched_stamps:
        wait(_POLL_S)
    while True:
        wait(_POLL_S)
        if (later := _stamps(watched_stamps)) == now:
            return
        now = later


def _stamps(files: Iterable[str]) -> Stamps:
    """Time, size and inode of each file; None if it does not exist."""
    return {path: _stamp(Path(path)) for path in files}


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
