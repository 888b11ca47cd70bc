"""Reports of `size colocation` (batch work next to requests) as text, Markdown and JSON data.

The picture is in `supply_curve`.
"""

from __future__ import annotations

from typing import Any

from tailc.problems.colocation import PairSearch
from tailc.report.table import align_columns, as_markdown
from tailc.studies.colocation_sizing import Colocation, Fleet, SupplyPoint
from tailc.units import format_khz, format_mrps, printable

FORMAT = "tailc-size-colocation"
VERSION = 1
_MW_PER_W = 1_000
# Digits after the decimal point of work, relative to a dedicated server's.
_DIGITS = 6
_CURVE_NUMBERS, _FLEET_NUMBERS = range(5), range(10)


def as_text(sized: Colocation) -> str:
    """Format the supply curve as a table, then one line per fleet."""
    return (
        f"{_title(sized)}\n\n{align_columns(_curve(sized), _CURVE_NUMBERS)}\n\n{_legend(sized)}\n\n"
        f"{align_columns(_fleets(sized), _FLEET_NUMBERS)}\n"
    )


def as_markdown_table(sized: Colocation) -> str:
    """Format the supply curve of batch work, and the fleets, as Markdown for a pull request."""
    curve = as_markdown(_curve(sized), _CURVE_NUMBERS)
    fleets = as_markdown(_fleets(sized), _FLEET_NUMBERS)
    return f"### {_title(sized)}\n\n{curve}\n{_legend(sized)}\n\n{fleets}"


def _title(sized: Colocation) -> str:
    return f"least power of a server of `{printable(sized.name)}` by its batch work"


def _curve(sized: Colocation) -> list[tuple[str, ...]]:
    """Build one row per corner; its marginal power is that of the segment that ends there."""
    rows = [("batch work", "power", "W by unit", "requests at", "batch work at", "")]
    for at, corner in enumerate(sized.corners):
        marginal = "" if at == 0 else f"{_marginal_w(sized.corners[at - 1], corner):.1f}"
        rows.append(
            (
                f"{corner.work:.3f}",
                _watts(corner.power_w),
                marginal,
                format_khz(corner.requests_khz),
                "-" if corner.batch_khz is None else format_khz(corner.batch_khz),
                "knee" if at == sized.knee else "",
            )
        )
    return rows


def _marginal_w(low: SupplyPoint, high: SupplyPoint) -> float:
    return (high.power_w - low.power_w) / (high.work - low.work)


def _watts(power_w: float) -> str:
    return f"{power_w:.1f} W"


def _legend(sized: Colocation) -> str:
    own, best = sized.dedicated, sized.efficient
    by = ", by hill climbing" if sized.search is PairSearch.HILL_CLIMBING else ""
    return (
        f"A unit is what a dedicated server does: {own.work_per_s:.4g} of work a second, at "
        f"{format_khz(own.frequency_khz)} and {own.power_w:.1f} W. Beyond the knee a unit is "
        f"cheaper there.\n"
        f"Most work per joule of a server with requests{by}: {best.work:.3f} at "
        f"{best.power_w:.1f} W. At {format_mrps(sized.rate_mrps)} requests meet their bound from "
        f"{format_khz(sized.tail_khz)} on."
    )


def _fleets(sized: Colocation) -> list[tuple[str, ...]]:
    heads = ("with requests", "batch", "work on each", "dedicated", "servers", "apart", "saved")
    return [
        (*heads, "power", "apart", "saved"),
        *(_fleet_row(fleet) for fleet in sized.fleets),
    ]


def _fleet_row(fleet: Fleet) -> tuple[str, ...]:
    return (
        str(fleet.demand.servers),
        f"{fleet.demand.batch:g}",
        f"{fleet.work:.3f}",
        f"{fleet.dedicated:.4g}",
        str(fleet.servers),
        str(fleet.apart_servers),
        f"{1 - fleet.servers / fleet.apart_servers:.1%}",
        _kilowatts(fleet.power_w),
        _kilowatts(fleet.apart_w),
        f"{1 - fleet.power_w / fleet.apart_w:.1%}",
    )


def _kilowatts(power_w: float) -> str:
    return f"{power_w / _MW_PER_W:.3f} kW"


def as_dict(sized: Colocation) -> dict[str, Any]:
    """Convert results to JSON data, as schemas/report/size-colocation-1.schema.json describes."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "rate_mrps": sized.rate_mrps,
        "replay": {"seed": sized.seed, "requests": sized.requests},
        "tail_khz": sized.tail_khz,
        "curve": [_corner_dict(corner) for corner in sized.corners],
        "knee": sized.knee,
        "search": sized.search.value,
        "efficient": _corner_dict(sized.efficient),
        "dedicated": {
            "frequency_khz": sized.dedicated.frequency_khz,
            "power_mw": _milliwatts(sized.dedicated.power_w),
            "work_per_s": round(sized.dedicated.work_per_s, _DIGITS),
        },
        "fleets": [_fleet_dict(fleet) for fleet in sized.fleets],
    }


def _corner_dict(corner: SupplyPoint) -> dict[str, Any]:
    return {
        "work": round(corner.work, _DIGITS),
        "power_mw": _milliwatts(corner.power_w),
        "requests_khz": corner.requests_khz,
        "batch_khz": corner.batch_khz,
    }


def _fleet_dict(fleet: Fleet) -> dict[str, Any]:
    return {
        "request_servers": fleet.demand.servers,
        "batch": fleet.demand.batch,
        "work": round(fleet.work, _DIGITS),
        "low": fleet.low,
        "high": fleet.high,
        "high_share": round(fleet.high_share, _DIGITS),
        "dedicated": round(fleet.dedicated, _DIGITS),
        "servers": fleet.servers,
        "power_mw": _milliwatts(fleet.power_w),
        "separate": {"servers": fleet.apart_servers, "power_mw": _milliwatts(fleet.apart_w)},
    }


def _milliwatts(power_w: float) -> int:
    return round(power_w * _MW_PER_W)
