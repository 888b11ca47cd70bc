"""How a solver's answer is to be read."""

from enum import StrEnum


class Status(StrEnum):
    """Outcome of one row of a search; `sentence` says it to a person."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    BUDGET = "budget"

    @property
    def sentence(self) -> str:
        return _SENTENCES[self]


_SENTENCES = {
    Status.OPTIMAL: "No schedule of the searched family is better.",
    Status.INFEASIBLE: "No schedule of the searched family meets the limits.",
    Status.BUDGET: "The evaluation budget ended first; a better schedule may exist.",
}
