"""What a ladder search minimises."""

from enum import StrEnum


class SearchObjective(StrEnum):
    """What a ladder search minimises.

    TAIL: the tail, within the cost budget. COST: the cost-time, within the budget and a target for
    the tail.
    """

    TAIL = "tail"
    COST = "cost"
