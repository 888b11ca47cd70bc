"""Whether ladders on one server act alike."""

from __future__ import annotations

from tailc.forms.ladder.table import Guard, Ladder, Outside, Rule


def act_alike(ladders: tuple[Ladder, ...], others: tuple[Ladder, ...]) -> bool:
    """Whether a replay of one is surely that of the other."""
    return [_essence(ladder) for ladder in ladders] == [_essence(other) for other in others]


def _essence(ladder: Ladder) -> object:
    """What a replay sees of a ladder."""
    return (ladder.rows, ladder.boost, _telling_rules(ladder), _telling_guard(ladder))


def _telling_rules(ladder: Ladder) -> tuple[Rule, ...]:
    """One row is always the same, however often it is read."""
    of_several_rows = (Rule.REREAD_ROW, Rule.NEVER_DESCEND) if len(ladder.rows) == 1 else ()
    return tuple(rule for rule in ladder.rules if rule not in of_several_rows)


def _telling_guard(ladder: Ladder) -> Guard | None:
    return ladder.guard if ladder.guard.outside is Outside.FIRST_RUNG else None
