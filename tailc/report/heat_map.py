"""Heat maps of a choice of cores: least energy, and the configuration that attains it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tailc.report.core_sizes import energy_per_request, energy_unit, letter
from tailc.report.drawing import PictureFormat, render_picture
from tailc.studies.core_sizing import CoreSizing
from tailc.units import format_ppm, number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

_SIZE_IN = (11.0, 4.6)
# The number of configurations that one legend can distinguish.
_COLOURS = "tab20"
_DARK = 0.55


def picture(sizing: CoreSizing, kind: PictureFormat) -> bytes:
    """Render both maps side by side; cells where no configuration meets the target are blank."""

    def draw(figure: Figure) -> None:
        energy, best = figure.subplots(1, 2, sharey=True)
        _draw_energy(figure, energy, sizing)
        _draw_best(best, sizing)

    return render_picture(draw, _SIZE_IN, kind)


def _draw_energy(figure: Figure, axes: Axes, sizing: CoreSizing) -> None:
    energies = _map(sizing, energy_per_request)
    image = axes.imshow(energies, origin="lower", aspect="auto", cmap="viridis_r")
    figure.colorbar(image, ax=axes, label=f"energy of a request [{energy_unit(sizing)}]")
    low, high = image.get_clim()
    for (row, column), value in _values(energies):
        is_dark = value > low + _DARK * (high - low)
        colour = "white" if is_dark else "black"
        axes.text(column, row, f"{value:.0f}", ha="center", va="center", color=colour, size=7)
    _label(axes, sizing, "least energy")


def _draw_best(axes: Axes, sizing: CoreSizing) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Patch

    colours = colormaps[_COLOURS]
    chosen = _map(sizing, lambda choice: float(choice.server % colours.N))
    axes.imshow(
        chosen, origin="lower", aspect="auto", cmap=colours, vmin=-0.5, vmax=colours.N - 0.5
    )
    for (row, column), _ in _values(chosen):
        best = sizing.best(column, row)
        assert best is not None
        axes.text(column, row, letter(best.server), ha="center", va="center", size=8)
    parts = [
        Patch(color=colours(number % colours.N), label=f"{letter(number)}  {server.name}")
        for number, server in enumerate(sizing.servers)
    ]
    axes.legend(handles=parts, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    _label(axes, sizing, "configuration")


def _map(sizing: CoreSizing, value: Any) -> NDArray[Any]:
    """Build an array of a value of the best choices, (targets, rates), masked where none exists."""
    import numpy as np

    rates, targets = len(sizing.grid.rates_mrps), len(sizing.grid.targets_us)
    best = [[sizing.best(rate, target) for rate in range(rates)] for target in range(targets)]
    missing = [[choice is None for choice in row] for row in best]
    values = [[0.0 if choice is None else value(choice) for choice in row] for row in best]
    return np.ma.masked_array(values, missing)


def _values(values: Any) -> list[tuple[tuple[int, int], float]]:
    rows, columns = values.shape
    return [
        ((row, column), float(values[row, column]))
        for row in range(rows)
        for column in range(columns)
        if not values.mask[row, column]
    ]


def _label(axes: Axes, sizing: CoreSizing, title: str) -> None:
    grid = sizing.grid
    axes.set_title(title)
    axes.set_xticks(range(len(grid.rates_mrps)), [number_text(r / 1e3) for r in grid.rates_mrps])
    axes.set_yticks(range(len(grid.targets_us)), [number_text(t / 1e3) for t in grid.targets_us])
    axes.set_xlabel("requests per second")
    percentile = format_ppm(sizing.percentile_ppm).rstrip("%").strip()
    axes.set_ylabel(f"p{percentile} target [ms]")
