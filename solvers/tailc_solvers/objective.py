"""Objectives of a search."""

from enum import StrEnum


class SearchObjective(StrEnum):
    """TAIL: the tail within the budget. COST: the cost-time within the budget and a target."""

    TAIL = "tail"
    COST = "cost"
