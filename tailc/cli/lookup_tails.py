"""The part of `tailc lookup` for tail tables: frequency of a core, and the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tailc.cli.lookup_controller import ControllerOutput, controller_output
from tailc.cli.lookup_query import TailTableQuery
from tailc.cli.outcome import CommandOutcome

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.forms.tail_needs import Need
    from tailc.forms.tail_table import QueuedRequests, TailTable

_NS_PER_US = 1_000


def look_up(policy: Policy, table: TailTable, query: TailTableQuery) -> CommandOutcome:
    """Look up the frequency of a core that holds the requests of a query.

    Includes the output of a controller, if the policy has one.
    """
    from tailc.forms.tail_needs import request_needs
    from tailc.forms.tail_table import PPM, level_for

    steered = controller_output(policy.controller, query.controller)
    scale_ppm = PPM if steered is None else steered.output_ppm
    queued = _queued_requests(query)
    level, needed = level_for(table, queued, scale_ppm), request_needs(table, queued, scale_ppm)
    text = f"{_level_text(table, level)}\n{_because(table, queued, needed)}"
    result = _result(table, level, needed)
    if steered is None:
        return CommandOutcome(text=text, result=result)
    return CommandOutcome(
        text=f"{text}\n{_controller_text(table, steered)}",
        result=result | {"controller": steered.result()},
    )


def _queued_requests(query: TailTableQuery) -> QueuedRequests:
    from tailc.forms.tail_table import QueuedRequests

    if not query.held_us:
        message = "a core without requests sleeps: give `--held` for each of its requests, the "
        raise click.UsageError(message + "running request first, such as `--held 2ms --held 0ms`")
    ages_ns = tuple(age_us * _NS_PER_US for age_us in query.held_us)
    return QueuedRequests(ages_ns, query.cycles, query.memory_us * _NS_PER_US)


def _result(table: TailTable, level: int, needed: tuple[Need, ...]) -> dict[str, object]:
    return {
        "level": level,
        "frequency_khz": table.levels[level].frequency_khz,
        "power_mw": table.levels[level].power_mw,
        "needs": [
            {
                "position": need.position,
                "cycles": need.cycles,
                "slack_ns": need.slack_ns,
                "frequency_khz": need.frequency_khz,
            }
            for need in needed
        ],
    }


def _level_text(table: TailTable, level: int) -> str:
    from tailc.units import format_khz, format_mw

    row = table.levels[level]
    position = f"level {level + 1} of {len(table.levels)}"
    return f"frequency: {format_khz(row.frequency_khz)} ({position}), {format_mw(row.power_mw)}"


def _because(table: TailTable, queued: QueuedRequests, needed: tuple[Need, ...]) -> str:
    """Name the request that needs the frequency and its remaining work, or why there is none."""
    if not needed:
        content = f"the core has {len(queued.ages_ns)} requests"
        return f"because {content}, more than the table's {table.positions} positions"
    if work := _beyond_sample(table, queued):
        return f"because the running request has had more {work} than any that was measured"
    from tailc.forms.tail_needs import binding_need

    need = binding_need(needed)
    return f"because {_position_name(need.position)} {_needs(table, need)}"


def _beyond_sample(table: TailTable, queued: QueuedRequests) -> str:
    """Note about elapsed work beyond the sample, for which the table has the highest frequency."""
    from tailc.forms.tail_table import LARGEST_CYCLES, LARGEST_TIME_NS, row_at

    if row_at(table.cycles, queued.elapsed_cycles).left[0] == LARGEST_CYCLES:
        return "cycles"
    last = row_at(table.memory_ns, queued.elapsed_memory_ns).left[0]
    return "memory time" if last == LARGEST_TIME_NS else ""


def _position_name(position: int) -> str:
    if position == 0:
        return "the running request"
    return f"the request with {position} before it"


def _needs(table: TailTable, need: Need) -> str:
    from tailc.forms.tail_table import least_level
    from tailc.units import format_khz

    if need.frequency_khz is None:
        return "has no time left for its cycles"
    least = table.levels[least_level(table)].frequency_khz
    needed = format_khz(need.frequency_khz)
    beyond = {
        need.frequency_khz < least: f"; the lowest frequency is {format_khz(least)}",
        need.frequency_khz > table.levels[-1].frequency_khz: ", beyond the highest",
    }.get(True, "")
    slack_us = need.slack_ns / _NS_PER_US
    return f"needs {needed}: {need.cycles:,} cycles in {slack_us:,.3f} us{beyond}"


def _controller_text(table: TailTable, steered: ControllerOutput) -> str:
    from tailc.forms.tail_table import internal_bound_ns
    from tailc.units import format_us

    bound_us = internal_bound_ns(table, steered.output_ppm) // _NS_PER_US
    return f"controller: bound times {steered.text()}, {format_us(bound_us)}"
