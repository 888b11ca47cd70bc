"""A first spec of a few-to-many policy, from a trace or a profile and a handful of wishes."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from tailc.errors import Code, Finding, Place, TailcError
from tailc.pipeline.spec import OpenedSpec, completed, kind_models
from tailc.pipeline.trace import OpenedTrace, open_trace
from tailc.specs.document import parse_document
from tailc.specs.load import check_document
from tailc.traces.profile_file import is_profile, read_counted
from tailc.traces.source import Source, format_of, open_source
from tailc.traces.trace import TABLES
from tailc.units import digits_text

# Utilizations, in percent, of the first rates: little, some and much.
FIRST_LOADS = (20, 40, 60)
# Threads that may run at once, over the cores: Haque et al., ASPLOS 2015, section 6, have 24 on 15.
THREADS_A_CORE = 1.6
HELD_OUT = "20%"
_DIGITS = 2
# As many as a float64 keeps of any decimal.
_ALL_DIGITS = 15
_LEAST_RATE_RPS = 0.001
_UNIT = re.compile(r"(.+)_(ns|us|ms|s)$")
_SPEEDUP = re.compile(r"speedup_([0-9]+)$")
# What YAML takes for text without quotes, but for some words.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NO_TEXTS = ("null", "true", "false")
_REQUESTS = ("request_id", "query_id", "request", "query", "id")
_DEGREES = ("degree", "threads")


@dataclass(frozen=True)
class Wishes:
    """What a trace does not tell. `slo` is a percentile and a latency, as a spec has them.

    speedup: at 1, 2, ... threads; None where the trace has them. measure: None of a profile.
    """

    cores: int
    slo: tuple[str, str]
    name: str | None = None
    speedup: tuple[float, ...] | None = None
    column: str | None = None
    unit: str | None = None
    measure: str | None = None
    because: str | None = None
    reference: str = "one thread of the server that was measured"


@dataclass(frozen=True)
class Draft:
    """The text of a spec that was checked with its trace, and what is odd about that.

    detected: the keys that were taken from the trace, for people.
    """

    name: str
    text: str
    is_of_profile: bool
    detected: tuple[str, ...]
    warnings: tuple[Finding, ...]


@dataclass(frozen=True)
class _Demand:
    """Lines of `demand` below its trace, and that of the speed-up where the trace has it."""

    lines: tuple[str, ...]
    speedup: str | None
    is_profile: bool = False


def draft(trace: str, wishes: Wishes, spec_path: str) -> Draft:
    """A spec at `spec_path`, not written yet, that passes a check and compiles.

    Raises TailcError where the trace cannot be read, where its columns do not tell what is needed,
    or for a wish that a spec cannot have.
    """
    with open_source(trace) as source:
        demand = _demand_of(source, wishes)
    if demand.speedup is None and wishes.speedup is None:
        message = f"`{trace}` does not tell how requests speed up on more threads"
        hint = "say it by `--speedup 1,1.9,2.7`, measured at 1, 2, 3 threads"
        raise TailcError(Finding(Code.MISSING_KEY, message, Place(trace), hint))
    name = wishes.name or _name_of(trace)
    relative = os.path.relpath(trace, Path(spec_path).parent)
    text = _text(name, relative, demand, wishes)
    mean_ms = _mean_ms(_opened(text, spec_path)[1])
    text = text + _rates(mean_ms, wishes.cores)
    opened, read = _opened(text, spec_path)
    warnings = (*opened.warnings, *read.trace.warnings)
    return Draft(name, text, demand.is_profile, demand.lines, warnings)


def _opened(text: str, path: str) -> tuple[OpenedSpec, OpenedTrace]:
    opened = completed(check_document(parse_document(text, path), kind_models()), path)
    return opened, open_trace(opened)


def _demand_of(source: Source, wishes: Wishes) -> _Demand:
    because = wishes.because and f"response_time_because: {json.dumps(wishes.because)}"
    if is_profile(source):
        measure = read_counted(source).measure.value
        lines = (f"measure: {wishes.measure or measure}", because)
        return _Demand(tuple(filter(None, lines)), None, is_profile=True)
    if wishes.measure is None:
        message = f"`{source.name}` does not tell what its times measure"
        hint = "say it by `--measure`, as `demand-busy`"
        raise source.fault(Code.UNSTATED_MEASURE, message, advice=hint)
    names = TABLES[format_of(source, "auto")](source).names
    shared = (f"measure: {wishes.measure}", because, f"held_out: {HELD_OUT}")
    column, unit = _times(source, names, wishes)
    degree, request = _first(_DEGREES, names), _first(_REQUESTS, names)
    if degree and request and wishes.speedup is None:
        timings = f"timings: {{request: {request}, degree: {degree}, duration: {_text_of(column)}}}"
        return _Demand((timings, f"unit: {unit}", *filter(None, shared)), "")
    lines = (f"column: {json.dumps(column)}", f"unit: {unit}", *filter(None, shared))
    return _Demand(lines, None if wishes.speedup else _speedup_columns(names))


def _times(source: Source, names: tuple[str, ...], wishes: Wishes) -> tuple[str, str]:
    """The column of times and its unit: those asked for, else as the only name there is."""
    units = {name: found[2] for name in names if (found := _UNIT.match(name))}
    likely = [name for name in units if name.startswith("demand")] or list(units)
    column = wishes.column or (likely[0] if len(likely) == 1 else None)
    if column is None:
        listed = ", ".join(f"`{name}`" for name in likely or names)
        message = f"which column of `{source.name}` has the demand is not told by their names"
        hint = f"name it by `--column`: {listed}"
        raise source.fault(Code.MISSING_COLUMN, message, advice=hint)
    unit = wishes.unit or units.get(column)
    if unit is None:
        message = f"the name of column `{column}` does not tell its unit"
        hint = "say it by `--unit ns`, `us`, `ms` or `s`"
        raise source.fault(Code.MISSING_UNIT, message, advice=hint)
    return column, unit


def _first(wanted: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    return next((name for name in wanted if name in names), None)


def _speedup_columns(names: tuple[str, ...]) -> str | None:
    numbered = {int(found[1]): name for name in names if (found := _SPEEDUP.match(name))}
    if sorted(numbered) != list(range(1, len(numbered) + 1)) or not numbered:
        return None
    columns = ", ".join(numbered[degree] for degree in sorted(numbered))
    return f"{{columns: [{columns}]}}"


def _text(name: str, trace: str, demand: _Demand, wishes: Wishes) -> str:
    percentile, latency = wishes.slo
    threads = max(wishes.cores + 1, round(THREADS_A_CORE * wishes.cores))
    lines = [f"trace: {json.dumps(trace)}", *demand.lines]
    lines.append(f"reference: {json.dumps(wishes.reference)}")
    speedup = demand.speedup
    if wishes.speedup is not None:
        speedup = f"[{', '.join(f'{value:.{_ALL_DIGITS}g}' for value in wishes.speedup)}]"
    parts = [
        "apiVersion: tailc/v1\nkind: few-to-many\n",
        f"name: {_text_of(name)}\nslo: [{{percentile: {percentile}, latency: {latency}}}]\n",
        "demand:\n" + "".join(f"  {line}\n" for line in lines),
    ]
    if speedup:
        parts.append(f"# On 1, 2, ... threads, over one.\nspeedup: {speedup}\n")
    parts.append(
        "# Threads that may run at once, moderately above the cores; a list is swept.\n"
        f"server: {{cores: {wishes.cores}, target_parallelism: {threads}}}\n"
    )
    return "".join(parts)


def _text_of(word: str) -> str:
    """The word as YAML reads it as text."""
    is_plain = _PLAIN.fullmatch(word) is not None and word.lower() not in _NO_TEXTS
    return word if is_plain else json.dumps(word)


def _rates(mean_ms: float, cores: int) -> str:
    full_rps = cores * 1e3 / mean_ms
    rates_rps = (max(full_rps * load / 100, _LEAST_RATE_RPS) for load in FIRST_LOADS)
    shown = dict.fromkeys(digits_text(rate_rps, _DIGITS) for rate_rps in rates_rps)
    listed = ", ".join(f"{rate.replace(',', '')}/s" for rate in shown)
    loads = ", ".join(str(load) for load in FIRST_LOADS)
    comment = f"# About {loads} % of what the cores can serve: put yours here."
    return f"{comment}\nrates: [{listed}]\n"


def _mean_ms(read: OpenedTrace) -> float:
    requests = read.trace.requests
    return float((requests.demand_ms * requests.weight).sum() / requests.total_weight)


def _name_of(trace: str) -> str:
    """A name that a policy may have, from that of the trace's file."""
    stem = Path(trace).name.split(".")[0].lower()
    return re.sub(r"[^a-z0-9]+", "-", stem).strip("-") or "service"
