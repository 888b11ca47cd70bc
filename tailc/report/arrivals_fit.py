"""Fitted arrivals, as a person or a program wants to read them."""

from __future__ import annotations

from typing import Any

from tailc.report.table import aligned, as_markdown
from tailc.studies.arrivals_fit import ArrivalsFit
from tailc.units import format_mrps, format_ppm, format_us, plain_ppm, printable

FORMAT = "tailc-arrivals-fit"
VERSION = 1
_DIGITS = 6
_NUMBERS = range(4)


def as_text(found: ArrivalsFit) -> str:
    """Index by window, the fitted numbers, and the words to replay them with."""
    words = f"--arrivals {found.fit.process.words}\n"
    if found.day is not None:
        words += f"\nOr as a day, by the hour:\n\n--arrivals {found.day.words}\n"
    return f"{_title(found)}\n\n{aligned(_windows(found), _NUMBERS)}\n\n{_legend(found)}\n\n{words}"


def as_markdown_table(found: ArrivalsFit) -> str:
    """The same for a pull request."""
    table = as_markdown(_windows(found), _NUMBERS)
    words = f"`--arrivals {found.fit.process.words}`"
    if found.day is not None:
        words += f", or as a day `--arrivals {found.day.words}`"
    return f"### {_title(found)}\n\n{table}\n{_legend(found)}\n\n{words}\n"


def _title(found: ArrivalsFit) -> str:
    rate = format_mrps(found.fit.process.rate_mrps)
    where = f"{printable(found.column)} of {printable(found.source)}"
    return f"{found.arrivals:,} arrivals in {found.span_us / 1e6:,.6g} s, {rate}: {where}"


def _windows(found: ArrivalsFit) -> list[tuple[str, ...]]:
    return [
        ("window", "windows", "IDC", "fitted"),
        *(
            (
                format_us(each.window_us),
                f"{each.windows:,}",
                f"{each.measured:.2f}",
                f"{each.fitted:.2f}",
            )
            for each in found.fit.windows
        ),
    ]


def _legend(found: ArrivalsFit) -> str:
    fit = found.fit
    bursts = fit.process.burstiness
    busy_rps, quiet_rps = fit.process.levels_rps
    text = (
        f"IDC: variance over mean of the arrivals in a window. Fitted: {plain_ppm(bursts.idc_ppm)} "
        f"over long times,\nspells of {format_us(bursts.spell_us)} that take "
        f"{format_ppm(bursts.busy_ppm)} of the time, {busy_rps:.4g}/s in them and "
        f"{quiet_rps:.4g}/s else; off by {fit.deviation:.1%}\n"
        f"(root mean square over the windows). {_busy(found)}"
    )
    if not fit.is_rising:
        return text
    return f"{text} The index still rises at the longest window: over\nlonger times it may be more."


def _busy(found: ArrivalsFit) -> str:
    """Where the share that is busy is from."""
    busy = found.fit.busy
    if busy is None:
        return "The share is a usual one: too few\nwindows tell of it."
    low, high = (format_ppm(round(end, -3)) for end in (busy.low_ppm, busy.high_ppm))
    if busy.is_known:
        return f"By the skewness of counts\nthe share is {low} .. {high} (95 %)."
    said = f"tells no more than {low} .. {high} (95 %)"
    return f"The share is a usual one: the\nskewness of counts {said}."


def as_dict(found: ArrivalsFit) -> dict[str, Any]:
    """The fit; schemas/report/arrivals-fit-1.schema.json describes it."""
    fit = found.fit
    bursts = fit.process.burstiness
    busy_rps, quiet_rps = fit.process.levels_rps
    return {
        "format": FORMAT,
        "version": VERSION,
        "arrivals": found.arrivals,
        "span_us": found.span_us,
        "rate_mrps": fit.process.rate_mrps,
        "idc_ppm": bursts.idc_ppm,
        "burst_us": bursts.spell_us,
        "busy_ppm": bursts.busy_ppm,
        "busy_low_ppm": None if fit.busy is None else fit.busy.low_ppm,
        "busy_high_ppm": None if fit.busy is None else fit.busy.high_ppm,
        "busy_rps": round(busy_rps, _DIGITS),
        "quiet_rps": round(quiet_rps, _DIGITS),
        "deviation": round(fit.deviation, _DIGITS),
        "is_rising": fit.is_rising,
        "option": fit.process.words,
        "day_option": None if found.day is None else found.day.words,
        "windows": [
            {
                "window_us": each.window_us,
                "windows": each.windows,
                "measured": round(each.measured, _DIGITS),
                "fitted": round(each.fitted, _DIGITS),
            }
            for each in fit.windows
        ],
    }
