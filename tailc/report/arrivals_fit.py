"""Reports of a fitted arrival process as text, Markdown and JSON data."""

from __future__ import annotations

from typing import Any

from tailc.report.table import align_columns, as_markdown
from tailc.studies.arrivals_fit import ArrivalsFit
from tailc.units import format_mrps, format_ppm, format_us, plain_ppm, printable

FORMAT = "tailc-arrivals-fit"
VERSION = 1
_DIGITS = 6
_NUMBERS = range(4)


def as_text(fitted: ArrivalsFit) -> str:
    """Format the fit as text: index of dispersion by window, parameters, and the replay option."""
    words = f"--arrivals {fitted.fit.process.words}\n"
    if fitted.day is not None:
        words += f"\nOr as a day, by the hour:\n\n--arrivals {fitted.day.words}\n"
    windows = align_columns(_windows(fitted), _NUMBERS)
    return f"{_title(fitted)}\n\n{windows}\n\n{_legend(fitted)}\n\n{words}"


def as_markdown_table(fitted: ArrivalsFit) -> str:
    """Format the fit as Markdown for a pull request."""
    table = as_markdown(_windows(fitted), _NUMBERS)
    words = f"`--arrivals {fitted.fit.process.words}`"
    if fitted.day is not None:
        words += f", or as a day `--arrivals {fitted.day.words}`"
    return f"### {_title(fitted)}\n\n{table}\n{_legend(fitted)}\n\n{words}\n"


def _title(fitted: ArrivalsFit) -> str:
    rate = format_mrps(fitted.fit.process.rate_mrps)
    where = f"{printable(fitted.column)} of {printable(fitted.source)}"
    return f"{fitted.arrivals:,} arrivals in {fitted.span_us / 1e6:,.6g} s, {rate}: {where}"


def _windows(fitted: ArrivalsFit) -> list[tuple[str, ...]]:
    return [
        ("window", "windows", "IDC", "fitted"),
        *(
            (
                format_us(each.window_us),
                f"{each.windows:,}",
                f"{each.measured:.2f}",
                f"{each.fitted:.2f}",
            )
            for each in fitted.fit.windows
        ),
    ]


def _legend(fitted: ArrivalsFit) -> str:
    fit = fitted.fit
    bursts = fit.process.burstiness
    busy_rps, quiet_rps = fit.process.levels_rps
    text = (
        f"IDC: variance over mean of the arrivals in a window. Fitted: {plain_ppm(bursts.idc_ppm)} "
        f"over long times,\nspells of {format_us(bursts.spell_us)} that take "
        f"{format_ppm(bursts.busy_ppm)} of the time, {busy_rps:.4g}/s in them and "
        f"{quiet_rps:.4g}/s else; off by {fit.deviation:.1%}\n"
        f"(root mean square over the windows). {_busy(fitted)}"
    )
    if not fit.is_rising:
        return text
    return f"{text} The index still rises at the longest window: over\nlonger times it may be more."


def _busy(fitted: ArrivalsFit) -> str:
    """Explain how the share of busy time was estimated."""
    busy = fitted.fit.busy
    if busy is None:
        return "The share is a typical value: there\nare too few windows to estimate it."
    low, high = (format_ppm(round(end, -3)) for end in (busy.low_ppm, busy.high_ppm))
    if busy.is_known:
        return f"From the skewness of counts\nthe share is {low} .. {high} (95 %)."
    limits = f"only {low} .. {high} (95 %)"
    return f"The share is a typical value: the\nskewness of counts gives {limits}."


def as_dict(fitted: ArrivalsFit) -> dict[str, Any]:
    """Convert the fit to JSON data, as schemas/report/arrivals-fit-1.schema.json describes."""
    fit = fitted.fit
    bursts = fit.process.burstiness
    busy_rps, quiet_rps = fit.process.levels_rps
    return {
        "format": FORMAT,
        "version": VERSION,
        "arrivals": fitted.arrivals,
        "span_us": fitted.span_us,
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
        "day_option": None if fitted.day is None else fitted.day.words,
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
