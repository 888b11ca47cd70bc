"""Reports of `size cores` (which cores to choose) as text, Markdown, JSON data and CSV.

The pictures are in `pictures.core_maps`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from tailc.percentiles import PPM
from tailc.report.table import align_columns, as_markdown
from tailc.specs.cores import PowerUnit
from tailc.studies.core_sizing import CoreSizing, Server, ServerChoice
from tailc.units import format_mrps, format_ppm, format_us, number_text, printable

FORMAT = "tailc-size-cores"
VERSION = 1
# Choices store energy in thousandths of the unit of power times ms.
_STEPS = 1_000
# Above this difference of peak power [%] configurations do not fit one supply, so a comparison by
# energy is unfair.
_FAIR_PERCENT = 10
_CSV_HEADS = (
    *("rate_mrps", "target_us", "configuration", "energy", "tail_us", "is_least", "climbs_us"),
)


def as_text(sizing: CoreSizing) -> str:
    """Format the best configurations by rate and target, then the legend of their letters."""
    table = align_columns(_rows(sizing), _numbers(sizing))
    return f"{_title(sizing)}\n\n{table}\n\n{_legend(sizing)}\n"


def as_markdown_table(sizing: CoreSizing) -> str:
    """Format the table of best configurations and its legend as Markdown for a pull request."""
    table = as_markdown(_rows(sizing), _numbers(sizing))
    return f"### {_title(sizing)}\n\n{table}\n{as_markdown(_servers(sizing), (2, 3))}"


def letter(server: int) -> str:
    """The letter of a configuration of cores in the table: A to Z, then AA, AB and so on."""
    first, second = divmod(server, 26)
    return (letter(first - 1) if first else "") + chr(ord("A") + second)


def energy_unit(sizing: CoreSizing) -> str:
    """Unit of energies per request: `mJ`, or `slow-core ms` where powers are relative."""
    return "mJ" if sizing.unit is PowerUnit.WATT else "slow-core ms"


def energy_per_request(choice: ServerChoice) -> float:
    """Energy per request, in the unit that `energy_unit` returns."""
    return choice.energy / _STEPS


def _title(sizing: CoreSizing) -> str:
    percentile = format_ppm(sizing.percentile_ppm).rstrip("%").strip()
    return (
        f"least energy of a request [{energy_unit(sizing)}] and the cores that do it, "
        f"by rate and p{percentile} latency"
    )


def _rows(sizing: CoreSizing) -> list[tuple[str, ...]]:
    """Build the rows of the table, strictest target last, as on a vertical axis."""
    rates = [format_mrps(rate) for rate in sizing.grid.rates_mrps]
    rows = [("target", *rates)]
    for at, target_us in reversed(list(enumerate(sizing.grid.targets_us))):
        best = (sizing.best(rate, at) for rate in range(len(rates)))
        rows.append((format_us(target_us), *(_cell(choice) for choice in best)))
    return rows


def _cell(choice: ServerChoice | None) -> str:
    return "-" if choice is None else f"{energy_per_request(choice):.1f} {letter(choice.server)}"


def _numbers(sizing: CoreSizing) -> range:
    return range(len(sizing.grid.rates_mrps) + 1)


def _legend(sizing: CoreSizing) -> str:
    spread = sizing.peak_spread
    words = (
        ""
        if round(100 * spread) <= _FAIR_PERCENT
        else ": too much to compare servers of equal power"
    )
    return (
        f"{align_columns(_servers(sizing), (2, 3))}\n\n"
        f"- : no configuration meets the target. Peak powers differ by {spread:.0%}{words}."
    )


def _servers(sizing: CoreSizing) -> list[tuple[str, ...]]:
    unit = "W" if sizing.unit is PowerUnit.WATT else "slow cores"
    rows = [("", "configuration", f"peak power [{unit}]", "cells won")]
    won = [choice.server for choice in _best(sizing) if choice is not None]
    for number, server in enumerate(sizing.servers):
        peak = number_text(server.peak_ppm / PPM)
        rows.append((letter(number), printable(server.name), peak, str(won.count(number))))
    return rows


def _best(sizing: CoreSizing) -> Iterator[ServerChoice | None]:
    for rate in range(len(sizing.grid.rates_mrps)):
        for target in range(len(sizing.grid.targets_us)):
            yield sizing.best(rate, target)


def as_dict(sizing: CoreSizing) -> dict[str, Any]:
    """Convert all cells to JSON data, as schemas/report/size-cores-1.schema.json describes."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "percentile_ppm": sizing.percentile_ppm,
        "replay": {"seed": sizing.seed, "requests": sizing.requests},
        "energy_unit": energy_unit(sizing),
        "configurations": [_server_dict(server) for server in sizing.servers],
        "rates_mrps": list(sizing.grid.rates_mrps),
        "targets_us": list(sizing.grid.targets_us),
        "cells": [
            _cell_dict(sizing, rate, target)
            for rate in range(len(sizing.grid.rates_mrps))
            for target in range(len(sizing.grid.targets_us))
        ],
    }


def _server_dict(server: Server) -> dict[str, Any]:
    return {"name": server.name, "peak_ppm": server.peak_ppm}


def _cell_dict(sizing: CoreSizing, rate: int, target: int) -> dict[str, Any]:
    best = sizing.best(rate, target)
    return {
        "rate_mrps": sizing.grid.rates_mrps[rate],
        "target_us": sizing.grid.targets_us[target],
        "best": None if best is None else best.server,
        "energy": None if best is None else energy_per_request(best),
        "choices": [_choice_dict(choice) for choice in sizing.cells[rate][target]],
    }


def _choice_dict(choice: ServerChoice | None) -> dict[str, Any] | None:
    if choice is None:
        return None
    return {
        "energy": energy_per_request(choice),
        "tail_us": choice.tail_us,
        "climbs": [{"age_us": climb.age_us, "rung": climb.rung} for climb in choice.climbs],
    }


def as_csv(sizing: CoreSizing) -> str:
    """Format the results of `tailc size cores` as CSV: a line per cell and configuration.

    Energy, tail and climbs are empty if the configuration misses the target.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CSV_HEADS)
    writer.writerows(_csv_rows(sizing))
    return text.getvalue()


def _csv_rows(sizing: CoreSizing) -> Iterator[tuple[object, ...]]:
    for at, rate_mrps in enumerate(sizing.grid.rates_mrps):
        for to, target_us in enumerate(sizing.grid.targets_us):
            best = sizing.best(at, to)
            for server, choice in zip(sizing.servers, sizing.cells[at][to], strict=True):
                cells = (
                    ("", "", "no", "") if choice is None else _csv_choice(choice, choice is best)
                )
                yield (rate_mrps, target_us, server.name, *cells)


def _csv_choice(choice: ServerChoice, is_least: bool) -> tuple[object, ...]:
    climbs = " ".join(f"{climb.age_us}:{climb.rung}" for climb in choice.climbs)
    return (energy_per_request(choice), choice.tail_us, "yes" if is_least else "no", climbs)
