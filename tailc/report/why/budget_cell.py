"""Reports of a cell of a token-budget table, for people and for programs."""

from __future__ import annotations

from typing import Any

from tailc.models.columns import UsageColumn, column, percent
from tailc.report.document import slo_dict
from tailc.report.estimates import percentile_name
from tailc.report.json_data import json_data
from tailc.report.table import columns_aligned
from tailc.report.tokens.words import change as relative
from tailc.report.tokens.words import ms
from tailc.specs.slo import Slo
from tailc.studies.why.budget_cell import BudgetCell, RateEffect, gap_limit, limit_ns
from tailc.units import format_mrps

FORMAT, VERSION = "tailc-why-tokens", 1
_NS_PER_US = 1_000


def as_text(cell: BudgetCell, slos: tuple[Slo, ...], effects: tuple[RateEffect, ...]) -> str:
    """Format why a token budget is as it is: the iteration, its times, and effects of changes."""
    facts = [
        ("cell", f"{_span(cell.decoding_range)} decode, {_span(cell.waiting_range)} tokens wait"),
        ("budget", f"{cell.budget:,} tokens, of which prompts take {cell.prompt_tokens:,}"),
        ("starts", f"up to {cell.new_sequences:,} sequences"),
        ("iteration", _between(cell, cell.iteration_ns)),
    ]
    limit = gap_limit(slos)
    if limit is not None:
        empty, full = (
            _budget(cell.largest_budget(limit_ns(limit), context)) for context in _contexts(cell)
        )
        text = f"{full} with a full cache, {empty} with an empty one ({limit})"
        facts.append(("within limit", text))
    lines = [f"{name:<14}{text}" for name, text in facts]
    tables = [f"{_heading(one)}\n{columns_aligned(_columns(slos, one))}" for one in effects]
    return "\n\n".join(["\n".join(lines), *tables]) + "\n"


def as_dict(
    cell: BudgetCell, slos: tuple[Slo, ...], effects: tuple[RateEffect, ...]
) -> dict[str, Any]:
    """Convert the explanation of a token budget to JSON data.

    Its schema is schemas/report/why-tokens-1.schema.json.
    """
    limit = gap_limit(slos)
    empty, full = _contexts(cell)
    return {
        "format": FORMAT,
        "version": VERSION,
        "decision": {
            "decoding": cell.decoding,
            "waiting_tokens": cell.waiting,
            "first_decoding": cell.decoding_range[0],
            "last_decoding": cell.decoding_range[1],
            "first_waiting": cell.waiting_range[0],
            "last_waiting": cell.waiting_range[1],
            "budget": cell.budget,
            "prompt_tokens": cell.prompt_tokens,
            "new_sequences": cell.new_sequences,
            "empty_cache_us": cell.iteration_ns(empty) // _NS_PER_US,
            "full_cache_us": cell.iteration_ns(full) // _NS_PER_US,
        },
        "limit": None
        if limit is None
        else {
            "slo": slo_dict(limit),
            "empty_cache_budget": cell.largest_budget(limit_ns(limit), empty),
            "full_cache_budget": cell.largest_budget(limit_ns(limit), full),
        },
        "rates": [json_data(one) for one in effects],
    }


def _heading(effect: RateEffect) -> str:
    share = percent(effect.share_ppm)
    return f"{format_mrps(effect.rate_mrps)}: {share} of the time of iterations is in this cell"


def _contexts(cell: BudgetCell) -> tuple[int, int]:
    """Tokens in the cache of decoding sequences: none, and as many as it holds."""
    return 0, cell.table.engine.cache_tokens if cell.decoding else 0


def _between(cell: BudgetCell, time_ns: Any) -> str:
    empty, full = (f"{ms(time_ns(context) // _NS_PER_US)} ms" for context in _contexts(cell))
    return empty if empty == full else f"{empty} with an empty cache, {full} with a full one"


def _budget(tokens: int) -> str:
    """Format the largest budget; 0: there is none."""
    return f"{tokens:,} tokens" if tokens else "no budget"


def _span(numbers: tuple[int, int | None]) -> str:
    first, last = numbers
    if last is None:
        return f"{first:,} and more"
    return f"{first:,}" if first == last else f"{first:,} to {last:,}"


def _columns(slos: tuple[Slo, ...], effect: RateEffect) -> list[UsageColumn]:
    names = ["the policy", *(one.name for one in effect.changes)]
    columns = [column("change", names, is_number=False)]
    for at, slo in enumerate(slos):
        tails = [effect.tails_us[at], *(one.tails_us[at] for one in effect.changes)]
        head = f"{percentile_name(slo)} [ms]"
        columns.append(column(head, [ms(tail) for tail in tails]))
        columns.append(column("", ["", *(relative(one.changes[at]) for one in effect.changes)]))
    return columns
