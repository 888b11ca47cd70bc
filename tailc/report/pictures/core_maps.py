"""Heat maps of a choice of cores: least energy, and the configuration that attains it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from markupsafe import Markup

from tailc.report.core_sizes import energy_per_request, energy_unit, letter
from tailc.report.pictures.axis import named
from tailc.report.pictures.figure import Figure
from tailc.report.pictures.plot import CHARACTER, LINE, LegendEntry, Plot
from tailc.report.pictures.tones import RUNGS, area_tone, ink_tone, rung_tone
from tailc.studies.core_sizing import CoreSizing, ServerChoice
from tailc.units import format_ppm, number_text, shorten

_EMPTY = "Cells in which no configuration meets the target are empty."
# Of the colours of energies, the first on which text is white.
_FIRST_DARK = 4
_MOST_COLUMNS, _MOST_ROWS = 12, 20
_LONGEST_NAME = 40


class _Cell(NamedTuple):
    """A cell: text in it, CSS classes of the cell and of the text, and tooltip."""

    text: str
    tone: str
    ink: str
    tooltip: str


def core_figures(sizing: CoreSizing) -> list[Figure]:
    """Draw two maps by rate and target: least energy per request, and its configuration."""
    return [_energy_figure(sizing), _best_figure(sizing)]


def _energy_figure(sizing: CoreSizing) -> Figure:
    energies = [energy_per_request(choice) for _, _, choice in _choices(sizing)]
    low, high, unit = min(energies, default=0.0), max(energies, default=0.0), energy_unit(sizing)

    def cell(choice: ServerChoice) -> _Cell:
        energy = energy_per_request(choice)
        step = round((energy - low) / (high - low or 1.0) * (RUNGS - 1))
        ink = "on-dark" if step >= _FIRST_DARK else "on-light"
        tooltip = f"{energy:.1f} {unit}, {sizing.servers[choice.server].name}"
        return _Cell(f"{energy:.0f}", rung_tone(step, RUNGS), ink, tooltip)

    entries = [LegendEntry(f"{energy:.0f} {unit}", rung_tone(step, RUNGS), "area")
               for energy, step in ((low, 0), (high, RUNGS - 1))]  # fmt: skip
    title = f"Least energy of a request [{unit}]"
    return _map("cores-energy", title, sizing, tuple(entries), cell)


def _best_figure(sizing: CoreSizing) -> Figure:
    def cell(choice: ServerChoice) -> _Cell:
        server = choice.server
        name = sizing.servers[server].name
        return _Cell(letter(server), area_tone(server), ink_tone(server), name)

    entries = tuple(
        LegendEntry(f"{letter(n)}  {shorten(server.name, _LONGEST_NAME)}", area_tone(n), "area")
        for n, server in enumerate(sizing.servers)
    )
    return _map("cores-best", "Configuration with the least energy", sizing, entries, cell)


def _map(
    ident: str,
    title: str,
    sizing: CoreSizing,
    entries: tuple[LegendEntry, ...],
    cell: Callable[[ServerChoice], _Cell],
) -> Figure:
    rates = [number_text(rate / 1e3) for rate in sizing.grid.rates_mrps]
    targets = [number_text(target / 1e3) for target in sizing.grid.targets_us]
    percentile = format_ppm(sizing.percentile_ppm).rstrip("%").strip()
    plot = Plot(
        named("requests per second", rates, _MOST_COLUMNS),
        named(f"p{percentile} target [ms]", targets, _MOST_ROWS),
        entries,
    ).with_area(300.0)
    wide, tall = plot.width / len(rates), (plot.bottom - plot.top) / len(targets)
    marks = [mark for rate, target, choice in _choices(sizing)
             for mark in _cell_marks(plot, (rate, target), cell(choice), (wide, tall))]  # fmt: skip
    return plot.figure(ident, title, f"{title}, by arrival rate and target. {_EMPTY}", (), marks)


def _cell_marks(
    plot: Plot, at: tuple[int, int], cell: _Cell, size: tuple[float, float]
) -> Iterator[Markup]:
    """Yield the cell, and its text if it fits."""
    ends = [(middle - 0.5, middle + 0.5) for middle in at]
    yield plot.cell(ends[0], ends[1], cell.tone, cell.tooltip)
    if size[0] > CHARACTER * len(cell.text) and size[1] > LINE:
        yield plot.text(at, cell.text, cell.ink)


def _choices(sizing: CoreSizing) -> Iterator[tuple[int, int, ServerChoice]]:
    """Yield the rate and the target of each cell that is not empty, and its best choice."""
    for rate in range(len(sizing.grid.rates_mrps)):
        for target in range(len(sizing.grid.targets_us)):
            choice = sizing.best(rate, target)
            if choice is not None:
                yield rate, target, choice
