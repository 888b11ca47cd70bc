"""Draft a first few-to-many spec from a trace or profile and a few user settings."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.experiment.experiment import experiment_for
from tailc.experiment.options import VerifyOptions
from tailc.experiment.server_use import load
from tailc.experiment.sizes import BY_HAND
from tailc.experiment.tail_sample import tail_of
from tailc.models.arrivals import Poisson
from tailc.models.shared_cores.baselines.fixed_degree import fixed_rung
from tailc.models.shared_cores.hand_settings import PARTS_OF_MEDIAN, round_number
from tailc.models.shared_cores.model import SharedCores
from tailc.percentiles import PPM
from tailc.pipeline.compile import compile_opened
from tailc.pipeline.objectives import highest_met_mrps
from tailc.pipeline.spec import KIND_MODELS, OpenedSpec, complete_spec
from tailc.pipeline.trace import OpenedTrace, open_trace, split_trace
from tailc.progress import Progress, silent
from tailc.specs.document import parse_document
from tailc.specs.load import check_document
from tailc.studies.draft_demand import (
    DraftDemand,
    ListedSpeedup,
    SharedWork,
    SpeedupOfTrace,
    Wishes,
    demand_of,
    yaml_text,
)
from tailc.threads import thread_count
from tailc.traces.amdahl import amdahl
from tailc.traces.profile import DemandProfile
from tailc.traces.source import open_source
from tailc.traces.summary import GRID_PPM, summary
from tailc.units import digits_text, format_us, printable

# Proposed rates, in percent of the highest rate within the SLO.
PARTS_OF_HIGHEST = (50, 90)
# Proposed rates, in percent of the capacity of the cores, if no rate is within the SLO.
PARTS_OF_CAPACITY = (20, 40, 60)
# Threads that may run at once, over the cores: Haque et al., ASPLOS 2015, section 6, have 24 on 15.
THREADS_A_CORE = 1.6
# Most threads of a request for which only the parallel share of work is known.
MOST_THREADS = 4
# Shortest period at which timers of operating systems can check ages; and the spec's default.
SHORTEST_QUANTUM_US, LONGEST_QUANTUM_US = 100, 5_000
_NS_PER_US = 1_000
_DIGITS = 2
# Decimal digits that a float64 preserves.
_ALL_DIGITS = 15
_LEAST_RATE_RPS = 0.001
_MISSED_AT_ANY_RATE = Finding(
    Code.PREDICTED_MISS,
    "no fixed number of threads meets the SLO, even if requests never wait",
    None,
    "allow a longer latency, or make single requests faster",
    Severity.WARNING,
)


@dataclass(frozen=True)
class Draft:
    """A drafted spec: its text, which was checked with its trace, and warnings.

    detected: the keys whose values come from the trace, to show to the user.
    """

    name: str
    text: str
    is_held_out: bool
    detected: tuple[str, ...]
    warnings: tuple[Finding, ...]


def draft_spec(trace: str, wishes: Wishes, spec_path: str, progress: Progress = silent) -> Draft:
    """Draft a spec for the file `spec_path`, without writing it; the draft is valid and compiles.

    Raises TailcError for a trace that cannot be read or lacks needed columns, and for a setting
    that a spec cannot have. The finding of a missing setting has that setting in `about`.
    """
    with open_source(trace) as source:
        demand = demand_of(source, wishes)
    name = wishes.name or _name_of(trace)
    relative = os.path.relpath(trace, Path(spec_path).parent)
    opened, read = _open(_text(name, relative, demand, wishes, LONGEST_QUANTUM_US), spec_path)
    if demand.is_held_out and not _can_be_split(opened, read):
        demand = demand.whole()
    text = _text(name, relative, demand, wishes, quantum_us(read.trace.requests))
    opened, read = _open(text, spec_path)
    rates, missed = _rates(opened, read, wishes, progress)
    opened, read = _open(text + rates, spec_path)
    warnings = (*opened.warnings, *read.trace.warnings, *missed)
    return Draft(name, text + rates, demand.is_held_out, demand.lines, warnings)


def quantum_us(requests: DemandProfile) -> int:
    """Choose a quantum, the time between checks of a request's age: a tenth of the median demand.

    The result is a round number such as 1, 2 or 5 ms, at least 100 us and at most the spec's
    default. A baseline set by hand (`hand_settings`) adds threads at intervals of a tenth of the
    median demand or more, which must not be below the quantum.
    """
    median_ns = summary(requests).quantiles_ns[GRID_PPM.index(PPM // 2)]
    tenth_us = PARTS_OF_MEDIAN[0] * Fraction(median_ns, _NS_PER_US)
    return min(max(round_number(tenth_us), SHORTEST_QUANTUM_US), LONGEST_QUANTUM_US)


def missing_settings(trace: str, wishes: Wishes) -> tuple[Finding, ...]:
    """Report settings that neither the trace nor the user provides, or the trace's read error."""
    try:
        with open_source(trace) as source:
            demand_of(source, wishes)
    except TailcError as error:
        return error.findings
    return ()


def _can_be_split(opened: OpenedSpec, read: OpenedTrace) -> bool:
    """Whether both parts have requests: with few requests, one may be empty."""
    try:
        split_trace(opened, read)
    except TailcError:
        return False
    return True


def _open(text: str, path: str) -> tuple[OpenedSpec, OpenedTrace]:
    opened = complete_spec(check_document(parse_document(text, path), KIND_MODELS), path)
    return opened, open_trace(opened)


def _text(name: str, trace: str, demand: DraftDemand, wishes: Wishes, quantum_us: int) -> str:
    threads = max(wishes.cores + 1, round(THREADS_A_CORE * wishes.cores))
    lines = [f"trace: {json.dumps(trace)}", *demand.lines]
    lines.append(f"reference: {json.dumps(wishes.reference)}")
    parts = [
        "apiVersion: tailc/v1\nkind: few-to-many\n",
        f"name: {yaml_text(name)}\n{_slos(wishes)}",
        "demand:\n" + "".join(f"  {line}\n" for line in lines),
    ]
    parts.append(_speedup(demand, wishes))
    parts.append(
        "# Threads that may run at once, moderately above the cores; a list is swept. Boosting is\n"
        "# for servers that may raise the priority of a thread. Each quantum, about a tenth of\n"
        "# the median demand, a running request checks whether to climb.\n"
        f"server: {{cores: {wishes.cores}, target_parallelism: {threads}, "
        f"quantum: {format_us(quantum_us).replace(' ', '')}, boosting: false}}\n"
    )
    return "".join(parts)


def _slos(wishes: Wishes) -> str:
    fan_out = "" if wishes.fan_out is None else f", fan_out: {wishes.fan_out}"
    listed = []
    for one in wishes.slos:
        window = "" if one.window is None else f", window: {one.window}"
        parts = f"percentile: {one.percentile}, latency: {one.latency}{window}{fan_out}"
        listed.append((f"{{{parts}}}", one.origin))
    if len(listed) == 1 and listed[0][1] is None:
        return f"slo: [{listed[0][0]}]\n"
    commented = (
        (slo, "" if origin is None else f"  # {printable(origin)}") for slo, origin in listed
    )
    return "slo:\n" + "".join(f"  - {slo}{origin}\n" for slo, origin in commented)


def _speedup(demand: DraftDemand, wishes: Wishes) -> str:
    """The key `speedup` and a comment; empty if the trace has timings by degree."""
    comment, listed = "On 1, 2, ... threads, over one.", demand.speedup
    match wishes.speedup:
        case SharedWork(share=share):
            threads = max(2, min(wishes.cores, MOST_THREADS))
            shared = f"{100 * share:.4g} % of the work shared"
            comment += f" Guessed by Amdahl's law, {shared}: measure yours."
            listed = _list_text(round(value, 3) for value in amdahl(share, threads))
        case ListedSpeedup(values=values):
            listed = _list_text(values)
        case SpeedupOfTrace():
            pass
    return f"# {comment}\nspeedup: {listed}\n" if listed else ""


def _list_text(values: Iterable[float], unit: str = "") -> str:
    return f"[{', '.join(f'{value:.{_ALL_DIGITS}g}{unit}' for value in values)}]"


def _rates(
    opened: OpenedSpec, read: OpenedTrace, wishes: Wishes, progress: Progress
) -> tuple[str, tuple[Finding, ...]]:
    """The lines of the key `rates`, and a warning if no rate is within the SLO."""
    if wishes.rates_mrps:
        return f"rates: {_list_text((rate / 1e3 for rate in wishes.rates_mrps), '/s')}\n", ()
    requests = _without_outlier(read)
    highest_mrps = highest_rate_mrps(opened, requests, progress)
    if highest_mrps is not None:
        highest = f"{digits_text(highest_mrps / 1e3, _DIGITS)}/s"
        comment = (
            f"# A fixed number of threads meets the SLO up to {highest}. These are 50 % and 90 %\n"
        )
        comment += "# of that: put yours here.\n"
        return comment + _rates_line(highest_mrps / 1e3, PARTS_OF_HIGHEST), ()
    comment = (
        "# No fixed number of threads meets the SLO at any rate. These load the cores by 20, 40\n"
    )
    comment += "# and 60 %: put yours here.\n"
    mean_ms = float(np.average(requests.demand_ms, weights=requests.weight))
    capacity_rps = wishes.cores * 1e3 / mean_ms
    return comment + _rates_line(capacity_rps, PARTS_OF_CAPACITY), (_MISSED_AT_ANY_RATE,)


def _rates_line(full_rps: float, parts: tuple[int, ...]) -> str:
    """Parts of a rate, in percent, rounded to two digits."""
    rates_rps = (max(full_rps * part / 100, _LEAST_RATE_RPS) for part in parts)
    shown = dict.fromkeys(digits_text(rate_rps, _DIGITS) for rate_rps in rates_rps)
    listed = ", ".join(f"{rate.replace(',', '')}/s" for rate in shown)
    return f"rates: [{listed}]\n"


def _without_outlier(read: OpenedTrace) -> DemandProfile:
    """The requests without a single one that is many times as long as the next longest."""
    requests = read.trace.requests
    if any(getattr(one.code, "name", "") == "outlier" for one in read.trace.warnings):
        is_usual = requests.demand_ms < requests.demand_ms.max()
        return requests.reweight(np.where(is_usual, requests.weight, 0))
    return requests


def _name_of(trace: str) -> str:
    """A valid policy name made from the name of the trace's file."""
    stem = Path(trace).name.split(".")[0].lower()
    return re.sub(r"[^a-z0-9]+", "-", stem).strip("-") or "service"


_OPTIONS = VerifyOptions(requests_per_replay=BY_HAND.requests, repeats=BY_HAND.repeats)


def highest_rate_mrps(
    opened: OpenedSpec, requests: DemandProfile, progress: Progress
) -> int | None:
    """The highest Poisson rate at which some fixed number of threads meets every SLO.

    opened: a few-to-many spec without rates. requests: the sample to replay. Returns requests per
    1000 s with two digits, or None if every number of threads misses an SLO at every rate. Raises
    TailcError if the spec does not compile.
    """
    policy = compile_opened(opened, progress=progress).policy
    (table,) = policy.ladders
    subjects = [
        SharedCores(policy.name, (fixed_rung(table, rung),)) for rung in range(len(table.rungs))
    ]
    tails = [tail_of(slo, requests) for slo in policy.slos]
    workload = subjects[0].workload(requests)

    def meets(subject: SharedCores, rate_mrps: int) -> bool:
        arrivals = Poisson(rate_mrps)
        experiment = experiment_for(_OPTIONS, workload, arrivals, workers, subject)
        repeats = experiment.replay_with_use(subject, tails)
        pairs = zip(repeats.tails_us, policy.slos, strict=True)
        is_within = all(tail_us <= slo.latency_us for tail_us, slo in pairs)
        return is_within and not load(arrivals, repeats.results).is_overloaded

    def is_met(rate_mrps: int) -> bool:
        return any(meets(subject, rate_mrps) for subject in subjects)

    progress("measuring the highest rate within the SLO", 0.0)
    with ThreadPoolExecutor(thread_count(None)) as workers:
        return highest_met_mrps(0, subjects[0].filling_mrps(workload, None), is_met)
