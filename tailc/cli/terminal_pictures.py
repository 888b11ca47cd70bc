"""--plot: pictures in the terminal, below what a command tells as text."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

import click

from tailc.cli.outcome import Outcome, Pictures

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.diff.behaviour import Behaviour
    from tailc.experiment.point import Comparison
    from tailc.report.terminal.look import TerminalStyle

# Where neither a terminal nor COLUMNS tells the width.
_SIZE = (80, 24)

plot = click.option(
    "--plot",
    is_flag=True,
    help="Draw the policy map, and latency by percentile if there is a replay, in the "
    "terminal. Only for the text format.",
)


def with_policy(
    told: Outcome,
    policy: Policy,
    comparison: Comparison | None = None,
    *,
    replayed: str = "",
    since: tuple[Policy, Behaviour | None] | None = None,
) -> Outcome:
    """With the spectrum at the busiest arrivals kept up with, where there are some, and the map
    of each ladder.

    replayed: what stands behind the arrivals, where that is no held-out trace. since: the policy
    before, and what became of the same requests under both. What cannot be drawn is said.
    """

    from tailc.report.page.latencies import without_latency

    def parts(look: TerminalStyle) -> list[str]:
        spectra = [] if comparison is None else [_spectrum(comparison, replayed, look)]
        if replayed and comparison is None and (why := without_latency(policy)):
            spectra.append(why)
        if since is not None:
            spectra.append(_change(since[1], (since[0], policy), look))
        return [*spectra, *_maps(policy, look)]

    return _with(told, parts)


def with_change(
    told: Outcome,
    policies: tuple[Policy, Policy],
    behaviour: Behaviour | None,
    *,
    is_replayed: bool,
) -> Outcome:
    """With both spectra where requests are there to replay, and the map of the change of each
    ladder; `behaviour` None: nothing differs that a replay could show.
    """

    def parts(look: TerminalStyle) -> list[str]:
        spectra = [_change(behaviour, policies, look)] if is_replayed else []
        return [*spectra, *_changes(*policies, look)]

    return _with(told, parts)


def _with(told: Outcome, parts: Callable[[TerminalStyle], Sequence[str]]) -> Outcome:
    """Drawn for standard output, and plainly for files."""
    from tailc.report.terminal.look import PLAIN

    shown, plain = ("\n\n".join(parts(look)) + "\n" for look in (look_of(sys.stdout), PLAIN))
    return replace(told, pictures=Pictures(shown, plain))


def look_of(stream: TextIO) -> TerminalStyle:
    """A terminal has colours, unless NO_COLOR (no-color.org) is set or it is dumb, and the marks
    that its encoding has; a pipe or a file has neither, so that a log is the same everywhere.
    """
    from tailc.report.terminal.look import FINE_MARKS, TerminalStyle

    width = shutil.get_terminal_size(_SIZE).columns
    if not stream.isatty():
        return TerminalStyle(width)
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return TerminalStyle(width, not is_plain, _has(stream.encoding, FINE_MARKS))


def _has(encoding: str | None, marks: str) -> bool:
    try:
        marks.encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def _spectrum(comparison: Comparison, replayed: str, look: TerminalStyle) -> str:
    from tailc.report.page.latencies import busiest_point, drawn_spectra
    from tailc.report.terminal.spectra import spectrum_text

    point = busiest_point(comparison.points)
    if point is None or not point.policy.spectrum:
        return "no latency by percentile: the server keeps up with none of the arrivals"
    title = f"Latency by percentile at {point.arrivals}{replayed}"
    return spectrum_text(title, drawn_spectra(point), comparison.slos, look)


def _change(
    behaviour: Behaviour | None, policies: tuple[Policy, Policy], look: TerminalStyle
) -> str:
    from tailc.report.page.diff_page import combined_slos, comparison_spectra
    from tailc.report.terminal.spectra import spectrum_text

    if behaviour is None:
        return "no latency before and after: every request runs as before"
    kept = [point for point in behaviour.points if comparison_spectra(point)]
    point = max(kept, key=lambda point: point.rate_mrps, default=None)
    if point is None:
        return "no latency before and after: at no arrivals do both policies keep up"
    title = f"Latency by percentile at {point.arrivals}, new and old"
    return spectrum_text(title, comparison_spectra(point), combined_slos(policies), look)


def _maps(policy: Policy, look: TerminalStyle) -> list[str]:
    from tailc.report.page.parts import without_map
    from tailc.report.terminal.maps import map_text

    maps = [
        f"Rungs by load and age{_of(ladder.request_class)}\n{map_text(ladder, look)}"
        for ladder in policy.ladders
    ]
    return maps or [without_map(policy)]


def _changes(old: Policy, new: Policy, look: TerminalStyle) -> list[str]:
    """A map, or why there is none, for each class of the new policy."""
    from tailc.report.page.diff_map import without_change_map
    from tailc.report.page.parts import without_map
    from tailc.report.terminal.maps import change_text

    before = {ladder.request_class: ladder for ladder in old.ladders}
    found = []
    for ladder in new.ladders:
        title = f"Rungs by load and age, new against old{_of(ladder.request_class)}"
        was = before.get(ladder.request_class)
        drawn = None if was is None else change_text(was, ladder, look)
        why = without_change_map(was, ladder)
        found.append(f"{title}\n{drawn or f'no map: {why}'}")
    return found or [without_map(new)]


def _of(request_class: str | None) -> str:
    from tailc.units import printable

    return "" if request_class is None else f" for class {printable(request_class)}"
