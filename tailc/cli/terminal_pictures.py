"""The option --plot: pictures in the terminal, below the text of a command."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

import click

from tailc.cli.colour_option import has_colours
from tailc.cli.outcome import CommandOutcome, Pictures

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.diff.behaviour import Behaviour
    from tailc.experiment.point import SloComparison
    from tailc.report.terminal.look import TerminalStyle

# Size if neither a terminal nor COLUMNS gives the width.
_SIZE = (80, 24)

plot = click.option(
    "--plot",
    is_flag=True,
    help="Draw the policy map, and latency by percentile if there is a replay, in the "
    "terminal. Only for the text format.",
)


def add_policy_pictures(
    outcome: CommandOutcome,
    policy: Policy,
    comparison: SloComparison | None = None,
    *,
    replayed: str = "",
    since: tuple[Policy, Behaviour | None] | None = None,
) -> CommandOutcome:
    """Add the latency spectrum at the highest rate without overload, and a map of each ladder.

    A spectrum shows all percentiles of latency. replayed: note in the title if the requests are not
    a held-out trace. since: the previous policy, and the behaviour of both on the same requests. A
    sentence replaces a picture that cannot be drawn.
    """

    from tailc.report.page.latencies import without_latency

    def parts(look: TerminalStyle) -> list[str]:
        spectra = [] if comparison is None else [_spectrum(comparison, replayed, look)]
        if replayed and comparison is None and (why := without_latency(policy)):
            spectra.append(why)
        if since is not None:
            spectra.append(_change(since[1], (since[0], policy), look))
        return [*spectra, *_maps(policy, look)]

    return _add_pictures(outcome, parts)


def add_change_pictures(
    outcome: CommandOutcome,
    policies: tuple[Policy, Policy],
    behaviour: Behaviour | None,
    *,
    is_replayed: bool,
) -> CommandOutcome:
    """Add the latency spectra of both policies, and a map of each ladder's change.

    behaviour: the replayed change; None if both policies treat all requests alike. is_replayed:
    whether requests were given; without, there are no spectra.
    """

    def parts(look: TerminalStyle) -> list[str]:
        spectra = [_change(behaviour, policies, look)] if is_replayed else []
        return [*spectra, *_changes(*policies, look)]

    return _add_pictures(outcome, parts)


def _add_pictures(
    outcome: CommandOutcome, parts: Callable[[TerminalStyle], Sequence[str]]
) -> CommandOutcome:
    """Draw the pictures for standard output, and in plain characters for files."""
    from tailc.report.terminal.look import PLAIN

    for_terminal, plain = (
        "\n\n".join(parts(look)) + "\n" for look in (detect_terminal_style(sys.stdout), PLAIN)
    )
    return replace(outcome, pictures=Pictures(for_terminal, plain))


def detect_terminal_style(stream: TextIO) -> TerminalStyle:
    """Detect the colours and the character set that a stream can show.

    Pipes and files have no special characters, and colours only if the user forces them, so that
    logs are the same everywhere.
    """
    from tailc.report.terminal.look import FINE_MARKS, TerminalStyle

    width = shutil.get_terminal_size(_SIZE).columns
    is_fine = stream.isatty() and _can_encode(stream.encoding, FINE_MARKS)
    return TerminalStyle(width, has_colours(stream), is_fine)


def _can_encode(encoding: str | None, marks: str) -> bool:
    try:
        marks.encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def _spectrum(comparison: SloComparison, replayed: str, look: TerminalStyle) -> str:
    from tailc.report.page.latencies import busiest_point, drawn_spectra
    from tailc.report.terminal.spectra import spectrum_text

    point = busiest_point(comparison.points)
    if point is None or not point.policy.spectrum:
        return "no latency by percentile: the server is overloaded at all arrival rates"
    title = f"Latency by percentile at {point.arrivals}{replayed}"
    return spectrum_text(title, drawn_spectra(point), comparison.slos, look)


def _change(
    behaviour: Behaviour | None, policies: tuple[Policy, Policy], look: TerminalStyle
) -> str:
    from tailc.report.page.diff_page import combined_slos, comparison_spectra
    from tailc.report.terminal.spectra import spectrum_text

    if behaviour is None:
        return "no latency before and after: every request runs as before"
    comparable = [point for point in behaviour.points if comparison_spectra(point)]
    point = max(comparable, key=lambda point: point.rate_mrps, default=None)
    if point is None:
        return (
            "no latency before and after: one of the policies is overloaded at every arrival rate"
        )
    title = f"Latency by percentile at {point.arrivals}, new and old"
    return spectrum_text(title, comparison_spectra(point), combined_slos(policies), look)


def _maps(policy: Policy, look: TerminalStyle) -> list[str]:
    from tailc.report.page.parts import without_map
    from tailc.report.terminal.maps import map_text

    maps = [
        f"Rungs by load and age{_class_suffix(ladder.request_class)}\n{map_text(ladder, look)}"
        for ladder in policy.ladders
    ]
    return maps or [without_map(policy)]


def _changes(old: Policy, new: Policy, look: TerminalStyle) -> list[str]:
    """Map of the change of each ladder of the new policy, or why there is none."""
    from tailc.report.page.parts import without_map
    from tailc.report.pictures.diff_map import without_change_map
    from tailc.report.terminal.maps import change_text

    before = {ladder.request_class: ladder for ladder in old.ladders}
    change_maps = []
    for ladder in new.ladders:
        title = f"Rungs by load and age, new against old{_class_suffix(ladder.request_class)}"
        was = before.get(ladder.request_class)
        change_map = None if was is None else change_text(was, ladder, look)
        why = without_change_map(was, ladder)
        change_maps.append(f"{title}\n{change_map or f'no map: {why}'}")
    return change_maps or [without_map(new)]


def _class_suffix(request_class: str | None) -> str:
    from tailc.units import printable

    return "" if request_class is None else f" for class {printable(request_class)}"
