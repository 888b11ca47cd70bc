"""Decide whether two sets of ladders behave the same on one server."""

from __future__ import annotations

from tailc.forms.ladder.table import Guard, Ladder, Outside, Rule


def behave_alike(ladders: tuple[Ladder, ...], others: tuple[Ladder, ...]) -> bool:
    """Whether two sets of ladders certainly give the same replay on a server with shared cores."""
    return [_essence(ladder) for ladder in ladders] == [_essence(other) for other in others]


def _essence(ladder: Ladder) -> object:
    """The parts of a ladder that affect a replay."""
    return (ladder.rows, ladder.boost, _effective_rules(ladder), _effective_guard(ladder))


def _effective_rules(ladder: Ladder) -> tuple[Rule, ...]:
    """The rules of a ladder that affect a replay: with a single row, rereading has no effect."""
    of_several_rows = (Rule.REREAD_ROW, Rule.NEVER_DESCEND) if len(ladder.rows) == 1 else ()
    return tuple(rule for rule in ladder.rules if rule not in of_several_rows)


def _effective_guard(ladder: Ladder) -> Guard | None:
    return ladder.guard if ladder.guard.outside is Outside.FIRST_RUNG else None
