"""The part of `tailc why` for token-budget tables: a cell's iteration, and its effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.cli.outcome import CommandOutcome

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.traces.source import Format

# Pairs of replays differ by little, so that few samples of blocks are enough for an interval.
_REPLICATES = 100


def explain_budget(
    policy: Policy,
    decoding: int,
    waiting: int,
    trace: str | None,
    trace_format: Format,
    seed: int,
) -> CommandOutcome:
    """Explain the token budget for a state of the server; with a trace, also replay changes."""
    from tailc.experiment.token_replays import check_requests
    from tailc.report.why import budget_cell as render
    from tailc.studies.held_out_tokens import read_held_out_tokens
    from tailc.studies.why.budget_cell import budget_cell, cell_effects

    assert policy.budget_table is not None
    cell = budget_cell(policy.budget_table, decoding, waiting)
    effects, findings = (), ()
    if trace is not None:
        held_out = read_held_out_tokens(policy, trace, trace_format)
        check_requests(held_out, policy.budget_table.engine, policy.slos)
        effects, findings = (
            cell_effects(policy, cell, held_out, seed, _REPLICATES),
            held_out.warnings,
        )
    return CommandOutcome(
        text=render.as_text(cell, policy.slos, effects),
        result=render.as_dict(cell, policy.slos, effects),
        findings=findings,
    )
