"""Status of a solver's result."""

from enum import StrEnum


class Status(StrEnum):
    """Outcome of one row of a search.

    OPTIMAL: no schedule of the searched family is better. INFEASIBLE: none of it meets the limits.
    BUDGET: the evaluation budget ended first, and a better schedule may exist. LOCAL: no step from
    it leads to a better one, and a better one farther away may exist.
    """

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    BUDGET = "budget"
    LOCAL = "local"
