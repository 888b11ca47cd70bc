"""How a solver's answer is to be read."""

from enum import StrEnum


class Status(StrEnum):
    """Outcome of one row of a search.

    OPTIMAL: no schedule of the searched family is better. INFEASIBLE: none of it meets the limits.
    BUDGET: the evaluation budget ended first, and a better schedule may exist.
    """

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    BUDGET = "budget"
