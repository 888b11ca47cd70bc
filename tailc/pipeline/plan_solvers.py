"""Choose the general solver of a plan, and make the error if it fails."""

from __future__ import annotations

from tailc_solvers.backends.adapters import Backend
from tailc_solvers.backends.check import AnswerTrust
from tailc_solvers.backends.linear import BackendLimits, SolverOutcome

from tailc.errors import Code, Finding, TailcError
from tailc.problems.plan import PlanSearch

_OUT_OF = (SolverOutcome.TIMED_OUT, SolverOutcome.OUT_OF_MEMORY, SolverOutcome.LIMIT)
_UNFIT = (SolverOutcome.TOO_LARGE, SolverOutcome.REFUSED)
_WITH_PRICES = (Backend.HIGHS, Backend.GUROBI)
_OTHER = "use another `search.solver`, or another method"


def backend_for_prices(search: PlanSearch) -> Backend:
    """The requested solver if it provides dual prices of constraints, else HiGHS."""
    requested = Backend(search.solver)
    return requested if requested in _WITH_PRICES else Backend.HIGHS


def solver_limits(search: PlanSearch) -> BackendLimits:
    """Convert the settings of a search to the solver's limits.

    Node limits are reproducible; the time limit only stops the compile.
    """
    default = BackendLimits()
    nodes = default.nodes if search.nodes is None else search.nodes
    return BackendLimits(wall_s=float(search.wall_s), nodes=nodes, seed=search.seed)


def solver_error(
    backend: Backend, outcome: SolverOutcome, trust: AnswerTrust, message: str
) -> TailcError:
    """Make the error for a failed solver, with a hint for the user.

    outcome: the solver's status. trust: whether the exact check confirmed its answer.
    """
    reason = message or outcome.value
    if trust is AnswerTrust.REFUTED:
        text = f"`{backend.value}` gave a wrong answer: {reason}"
        return _error(Code.SOLVER_FAILED, text, _OTHER)
    if outcome is SolverOutcome.NOT_INSTALLED:
        text = f"`{backend.value}` cannot be used: {reason}"
        return _error(Code.MISSING_PART, text, f"install it, or {_OTHER}")
    if outcome in _OUT_OF:
        text = f"`{backend.value}` ended without a plan: {reason}; the previous plan remains in use"
        hint = "raise `search.time_limit` or `search.nodes`, or use another method"
        return _error(Code.BUDGET_ENDED, text, hint)
    if outcome in _UNFIT:
        text = f"`{backend.value}` cannot solve this problem: {reason}"
        return _error(Code.METHOD_UNFIT, text, _OTHER)
    text = f"`{backend.value}` failed: {reason}; the previous plan remains in use"
    return _error(Code.SOLVER_FAILED, text, _OTHER)


def _error(code: Code, message: str, hint: str) -> TailcError:
    return TailcError(Finding(code, message, help=hint))
