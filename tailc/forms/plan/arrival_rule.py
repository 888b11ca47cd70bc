"""The rule by which a runtime decides about jobs that a plan does not include.

`later_jobs` of a plan names it; before schema 1.12 the method in the evidence does. A method that
is one of `RULES` is also the name of the same rule as a baseline, with a parameter such as
`aggressive-50%`. With any other method, later jobs are decided by the prices of the plan.
"""

from __future__ import annotations

AUTO = "auto"
"""The method that compares rules on earlier days, and selects the best one."""

RULES = (
    *("aggressive", "constant", "nebulous", "reactive"),
    *("annealing", "first-fit", "on-arrival", "smart-green"),
)
"""Methods that are rules: first those of malleable jobs, then those of rigid jobs."""


def rule_of(method: str) -> str | None:
    """The rule of a method, as the name of a baseline; None: the prices of the plan."""
    is_rule = any(method == one or method.startswith(f"{one}-") for one in RULES)
    return method if is_rule else None


def planner_of(method: str, otherwise: str) -> str:
    """The method that plans the known jobs: `method` itself, or `otherwise` if it is a rule.

    A rule decides only about jobs that a plan does not include.
    """
    return otherwise if method == AUTO or rule_of(method) is not None else method
