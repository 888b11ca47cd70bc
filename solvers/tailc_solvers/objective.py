"""What a ladder search minimises."""

from enum import StrEnum


class SearchObjective(StrEnum):
    """Quantity that a search for ladders minimises.

    TAIL: the tail, within the cost budget. COST: the cost-time, within the budget and a target for
    the tail.
    """

    TAIL = "tail"
    COST = "cost"
