"""Map of a budget table: tokens of an iteration by decoding sequences and waiting tokens."""

from __future__ import annotations

import math
from collections.abc import Iterator

from markupsafe import Markup

from tailc.forms.budget_table import BudgetTable
from tailc.report.budget_table import decoding_text
from tailc.report.pictures.axis import named
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.plot import CHARACTER, LINE, LegendEntry, Plot
from tailc.report.pictures.tones import RUNGS, rung_tone

_TITLE = "Token budgets by decoding sequences and waiting prompt tokens"
_CAPTION = (
    "The most tokens of the next iteration. Decoding sequences take one each, and prompts take the "
    "rest."
)
# Of the colours of budgets, the first on which text is white.
_FIRST_DARK = 4
_MOST_COLUMNS, _MOST_ROWS = 12, 20


def budget_figure(table: BudgetTable) -> Figure:
    """Draw the table as areas with a colour for each budget, on a logarithmic scale."""
    waits = [f"from {first:,}" for first in table.first_waiting]
    rows = [decoding_text(table, number) for number in range(len(table.rows))]
    least, most = _ends(table)
    entries = tuple(
        LegendEntry(f"{budget:,} tokens", rung_tone(_step(table, budget), RUNGS), "area")
        for budget in dict.fromkeys((least, most))
    )
    plot = Plot(
        named("waiting prompt tokens", waits, _MOST_COLUMNS),
        named("decoding sequences", rows, _MOST_ROWS),
        entries,
    ).with_area(300.0)
    heads = ("decoding", *waits, "may start")
    cells = tuple(
        (rows[number], *map(str, row.budgets), str(row.new_sequences))
        for number, row in enumerate(table.rows)
    )
    numbers = Numbers("budgets", heads, cells)
    return plot.figure("budgets", _TITLE, _CAPTION, (numbers,), list(_marks(plot, table)))


def _marks(plot: Plot, table: BudgetTable) -> Iterator[Markup]:
    """Yield each cell, and its budget if the text fits."""
    columns = len(table.first_waiting)
    wide, tall = plot.width / columns, (plot.bottom - plot.top) / len(table.rows)
    for y, row in enumerate(table.rows):
        for x, budget in enumerate(row.budgets):
            step, text = _step(table, budget), f"{budget:,}"
            tooltip = f"{decoding_text(table, y)} decode: {text} tokens"
            yield plot.cell((x - 0.5, x + 0.5), (y - 0.5, y + 0.5), rung_tone(step, RUNGS), tooltip)
            if wide > CHARACTER * len(text) and tall > LINE:
                ink = "on-dark" if step >= _FIRST_DARK else "on-light"
                yield plot.text((x, y), text, ink)


def _ends(table: BudgetTable) -> tuple[int, int]:
    budgets = [budget for row in table.rows for budget in row.budgets]
    return min(budgets), max(budgets)


def _step(table: BudgetTable, budget: int) -> int:
    """The colour of a budget, of `RUNGS`."""
    low, high, here = (math.log2(1 + each) for each in (*_ends(table), budget))
    return round((here - low) / (high - low or 1.0) * (RUNGS - 1))
