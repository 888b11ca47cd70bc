"""Status of a solver's result."""

from enum import StrEnum


class Status(StrEnum):
    """Outcome of a search for the schedule of one load.

    OPTIMAL: no schedule of the searched family is better. INFEASIBLE: no schedule of the family
    meets the limits. BUDGET: the evaluation budget ended first, and a better schedule may exist.
    LOCAL: no single step leads to a better schedule, but one farther away may be better.
    """

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    BUDGET = "budget"
    LOCAL = "local"
