"""Reports of a trained power model as text, Markdown and JSON data."""

from __future__ import annotations

from typing import Any

from tailc.report.table import align_columns, as_markdown
from tailc.studies.power_fit import UNITS, FittedComponent, PowerFit
from tailc.units import plural, printable

FORMAT = "tailc-power-model"
VERSION = 1
# Digits beyond these depend on the machine.
_DIGITS = 9
_SHARE_DIGITS = 6
# Digits in tables for people.
_SHOWN = 5
_ERROR_NUMBERS = range(1, 5)
_NAMES = {"core": "cores", "uncore": "uncore", "dram": "DRAM", "rest": "rest"}


def as_text(fit: PowerFit) -> str:
    """Format the parameters, then the errors, of each component as text."""
    return (
        f"{_title(fit)}\n\n{align_columns(_parameters(fit), (2,))}\n\n"
        f"{align_columns(_errors(fit), _ERROR_NUMBERS)}\n\n{_legend(fit)}\n"
    )


def as_markdown_table(fit: PowerFit) -> str:
    """Format the parameters and the errors as Markdown for a pull request."""
    errors = as_markdown(_errors(fit), _ERROR_NUMBERS)
    return f"### {_title(fit)}\n\n{as_markdown(_parameters(fit), (2,))}\n{errors}\n{_legend(fit)}\n"


def _title(fit: PowerFit) -> str:
    return f"power model of {plural(fit.cores, 'core')} from {printable(fit.source)}"


def _parameters(fit: PowerFit) -> list[tuple[str, ...]]:
    return [
        ("component", "parameter", "value", "unit"),
        *(
            (_NAMES[each.name] if at == 0 else "", name, f"{value:.{_SHOWN}g}", UNITS[name])
            for each in fit.components
            for at, (name, value) in enumerate(each.parameters)
        ),
    ]


def _errors(fit: PowerFit) -> list[tuple[str, ...]]:
    whole = ("server", f"{fit.error_w:.3f} W", f"{fit.error_share:.2%}")
    return [
        ("component", "mean error", "of the server", "long term", "residual"),
        *(_error_row(each) for each in fit.components),
        (*whole, f"{fit.long_term_share:.2%}", ""),
    ]


def _error_row(each: FittedComponent) -> tuple[str, ...]:
    return (
        _NAMES[each.name],
        f"{each.error_w:.3f} W",
        f"{each.error_share:.2%}",
        f"{each.long_term_share:.2%}",
        f"{each.residual_w:.3f} W",
    )


def _legend(fit: PowerFit) -> str:
    measured = {True: "measured", False: "modelled"}
    return (
        f"Errors on {fit.tested_rows:,} rows of {printable(fit.test_source)}, trained on "
        f"{fit.trained_rows:,}. Voltage of cores {measured[fit.has_core_volt]}, of the uncore "
        f"{measured[fit.has_uncore_volt]}."
    )


def as_dict(fit: PowerFit) -> dict[str, Any]:
    """Convert the model to JSON data, as schemas/report/power-model-1.schema.json describes."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "cores": fit.cores,
        "voltage": {
            "core": "measured" if fit.has_core_volt else "modelled",
            "uncore": "measured" if fit.has_uncore_volt else "modelled",
        },
        "rows": {"trained": fit.trained_rows, "tested": fit.tested_rows},
        "components": {each.name: _component(each) for each in fit.components},
        "server": _error_dict(fit.error_w, fit.error_share, fit.long_term_share),
    }


def _component(each: FittedComponent) -> dict[str, Any]:
    return {
        "parameters": [
            {"name": name, "value": _significant(value), "unit": UNITS[name]}
            for name, value in each.parameters
        ],
        "residual_w": round(each.residual_w, _SHARE_DIGITS),
        "condition": round(each.condition),
        **_error_dict(each.error_w, each.error_share, each.long_term_share),
    }


def _error_dict(error_w: float, share: float, long_term: float) -> dict[str, float]:
    return {
        "mean_error_w": round(error_w, _SHARE_DIGITS),
        "mean_error_share": round(share, _SHARE_DIGITS),
        "long_term_share": round(long_term, _SHARE_DIGITS),
    }


def _significant(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
