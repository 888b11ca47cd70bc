"""Doing something again whenever one of some files has changed, until it is interrupted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from tailc.cli.outcome import Outcome
from tailc.errors import TailcError
from tailc.input_files import inputs_held
from tailc.units import counted

_POLL_S = 0.2

Stamps = dict[str, tuple[int, int, int] | None]


def watched(make: Callable[[], Outcome], files: Callable[[], Iterable[str]]) -> Outcome:
    """Make at once and after each change, telling each outcome as text, until interrupted."""

    def work() -> None:
        try:
            outcome = make()
        except TailcError as error:
            outcome = Outcome(error.exit_code, findings=error.findings)
        _tell(outcome)

    rounds = watch(work, files)
    text = f"watched for {counted(rounds, 'round')}"
    return Outcome(text=text, result={"files": [], "rounds": rounds})


def _tell(outcome: Outcome) -> None:
    from tailc.cli.outcome import show
    from tailc.cli.output_option import TEXT

    show("compile", outcome, [TEXT])
    click.echo("watching; interrupt to end", err=True)


def watch(
    work: Callable[[], None],
    files: Callable[[], Iterable[str]],
    wait: Callable[[float], object] | None = None,
) -> int:
    """Do the work now and after each change of one of `files()`; how often, once interrupted.

    A change counts once the files stay as they are for a fifth of a second: an editor, or a copy,
    may write a file in several steps. A change during the work counts after it.
    """
    rounds = 0
    try:
        while True:
            # Each round reads its inputs again.
            with inputs_held():
                seen = _stamps(files())
                work()
                rounds += 1
            _wait_for_change(seen, files, wait or time.sleep)
    except KeyboardInterrupt:
        return rounds


def _wait_for_change(
    seen: Stamps, files: Callable[[], Iterable[str]], wait: Callable[[float], object]
) -> None:
    # The work may have found other files to look at: those count from now on.
    known = {path: seen.get(path, stamp) for path, stamp in _stamps(files()).items()}
    while (now := _stamps(known)) == known:
        wait(_POLL_S)
    while True:
        wait(_POLL_S)
        if (later := _stamps(known)) == now:
            return
        now = later


def _stamps(files: Iterable[str]) -> Stamps:
    """Of each file its time, size and identity; None where it is not there."""
    return {path: _stamp(Path(path)) for path in files}


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
