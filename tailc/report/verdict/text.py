"""Verdicts for a terminal of a hundred columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tailc.report.table import Column, columns_aligned, packed
from tailc.report.verdict.clocks import has_clocks, level_use
from tailc.report.verdict.cores import is_on_cores, spikes
from tailc.report.verdict.lanes import idle_table, is_on_lanes
from tailc.report.verdict.tables import (
    Groups,
    comparison,
    policy_alone,
    rung_use,
    stretches,
    verdict_table,
)
from tailc.report.verdict.words import drift_sentences, energy_sentences, heading, remarks
from tailc.units import printable
from tailc.verify.verdict import Verdicts

_WIDTH = 100
_WIDEST_HEAD = 24

_LEGEND = """\
Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; util: threads that
ran over cores; threads, n: mean threads, and mean requests in the system; thread time: threads
times time that a request took"""
_POWER_LEGEND = """\
Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; util: what was
drawn of the peak power; {0}, n: mean power asked for, and mean requests in the system;
{1} time: power times time that a request had it"""
_SHARED_LEGENDS = {
    "power": _POWER_LEGEND.format("power", "power"),
    "watts": _POWER_LEGEND.format("watts", "watt"),
}
_CORES_LEGEND = """\
Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; n: mean requests
in the system; energy: power times ms that a request drew, with its interval over replays; idle:
what free cores drew, by request; by type: share of its cores that were busy; output: what scales
the ages of climbs, and nine in ten"""
_CLOCKS_LEGEND = """\
Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; n: mean requests
in the system; energy: watts times ms that a request drew, with its interval over replays; idle:
what cores without requests drew, by request; cores: share of them that were busy; power: of all
cores; frequency: mean of busy cores; batch: share of core time that batch work had; output: what
scales the bound, and nine in ten"""
_LANES_LEGEND = """\
Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; n: mean requests
in the system; batch: batch work by core over that beside a free core, with its interval over
replays; util: busy lanes of a core, of 2"""
_BATCH = """;
batch: batch work by core over that beside a free core, with its interval over replays"""
_CORE_RUNGS = "the rung that requests of the policy left on"
_IDLE = "the time of a core without a request of the policy"
_LEVELS = "share of the time of busy cores at each frequency"
_SPIKES = """\
stretches of a constant rate: percentile of their requests; share of the tails, measured once an
epoch, that are over the target; how far they overshoot it; epochs until they have settled"""
_AGAINST = "; policy: its percentile against the row's"
_RUNGS = "{shared} of a request in the policy, and the rung it left on"
_STRETCHES = "percentiles by stretch of the arrivals, in order"


def as_text(verdicts: Verdicts, rungs: Sequence[str] = ()) -> str:
    """The policy's verdicts, everyone's numbers beside them, and what is left to say.

    `rungs` are the names of the policy's rungs; without them they are counted from 1.
    """
    parts = [
        f"policy `{printable(verdicts.policy_name)}`, {heading(verdicts)}",
        columns_aligned(verdict_table(verdicts)),
        *_comparisons(verdicts),
        _legend(verdicts),
        *_rung_use(verdicts, rungs),
        *_idle(verdicts),
        *_stretches(verdicts),
        *_spikes(verdicts),
        "\n  ".join(drift_sentences(verdicts)),
        "\n".join(map(printable, remarks(verdicts))),
        f"verdict: {verdicts.ruling.value}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _legend(verdicts: Verdicts) -> str:
    against = _AGAINST if any(point.baselines for point in verdicts.points) else ""
    if not is_on_cores(verdicts):
        beside = _BATCH if verdicts.points[0].policy.batch is not None else ""
        return f"{_SHARED_LEGENDS.get(verdicts.shared, _LEGEND)}{against}{beside}."
    if is_on_lanes([point.policy for point in verdicts.points]):
        return f"{_LANES_LEGEND}{against}."
    legend = _CLOCKS_LEGEND if has_clocks(verdicts) else _CORES_LEGEND
    return "\n".join([f"{legend}{against}.", *energy_sentences(verdicts)])


def _rung_use(verdicts: Verdicts, rungs: Sequence[str]) -> Iterator[str]:
    if has_clocks(verdicts):
        for point in verdicts.points:
            yield f"{_LEVELS}\n" + "\n\n".join(_tables(*level_use(point)))
        return
    said = _CORE_RUNGS if is_on_cores(verdicts) else _RUNGS.format(shared=verdicts.shared)
    yield f"{said}\n" + "\n\n".join(_tables(*rung_use(verdicts, rungs)))


def _idle(verdicts: Verdicts) -> Iterator[str]:
    if is_on_lanes([point.policy for point in verdicts.points]):
        yield f"{_IDLE}\n{columns_aligned(idle_table(verdicts))}"


def _spikes(verdicts: Verdicts) -> Iterator[str]:
    for point in verdicts.points:
        if point.policy.spikes:
            yield f"{_SPIKES}\n" + "\n\n".join(_tables(*spikes(verdicts, point)))


def _comparisons(verdicts: Verdicts) -> Iterator[str]:
    if not any(point.baselines for point in verdicts.points):
        yield from _tables(*policy_alone(verdicts))
        return
    for point in verdicts.points:
        yield from _tables(*comparison(verdicts, point))


def _stretches(verdicts: Verdicts) -> Iterator[str]:
    for point in verdicts.points:
        if point.policy.stretch_us:
            yield f"{_STRETCHES}\n" + "\n\n".join(_tables(*stretches(verdicts, point)))


def _tables(first: Column, groups: Groups) -> list[str]:
    """The tables; a head that would widen its column by much stands on a line of its own."""
    title = ""
    if len(first.head) > _WIDEST_HEAD:
        title, first = f"{first.head}\n", replace(first, head="")
    return [title + columns_aligned(columns) for columns in packed(first, groups, _WIDTH)]
