"""Check whether a new policy is within a spec's budgets of worsening."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.diff.budgets import BudgetCheck, BudgetRuling
from tailc.errors import Code, Finding, Severity, TailcError
from tailc.experiment.ruling import Ruling
from tailc.pipeline.spec import open_document
from tailc.specs.budgets import BUDGETS, percentile_ppm
from tailc.specs.load import LoadedSpec
from tailc.specs.slo_spec import WithSlos
from tailc.units import format_ppm

_PPM_PER_PERCENT = 10_000


@dataclass(frozen=True)
class SpecBudgets:
    """The budgets of a spec: by quantity, how much worse a new policy may be [1e-6].

    loaded: the spec, for the places of findings.
    """

    most_ppm: Mapping[str, int]
    loaded: LoadedSpec

    @property
    def percentiles_ppm(self) -> tuple[int, ...]:
        """The percentiles that must be compared so that the budgets can be checked [1e-6]."""
        return tuple(filter(None, map(percentile_ppm, self.most_ppm)))

    def findings(self, rulings: BudgetCheck) -> tuple[Finding, ...]:
        """Report each exceeded budget as an error, and each undecided budget as a warning.

        Raises TailcError for a budget of a quantity that was not compared.
        """
        if rulings.unmeasured:
            raise TailcError(
                [self._not_measured(key, rulings.measured) for key in rulings.unmeasured]
            )
        return tuple(self._ruling_findings(rulings))

    def _ruling_findings(self, rulings: BudgetCheck) -> Iterator[Finding]:
        for one in rulings.rulings:
            place = self.loaded.place(BUDGETS, one.key)
            if one.ruling is Ruling.FAIL:
                hint = "use the old policy, or raise the budget if the change is worth it"
                yield Finding(Code.OVER_BUDGET, _budget_text(one, "is exceeded"), place, hint)
            elif one.ruling is Ruling.UNDECIDED:
                hint = (
                    "give a longer held-out trace: the interval must be entirely below or above "
                    "the budget"
                )
                message = _budget_text(one, "cannot be decided")
                yield Finding(Code.UNTOLD_BUDGET, message, place, hint, Severity.WARNING)

    def _not_measured(self, key: str, measured: tuple[str, ...]) -> Finding:
        message = f"`{BUDGETS}.{key}` is not a quantity by which these policies are compared"
        hint = f"the report compares {', '.join(f'`{name}`' for name in measured)}"
        return Finding(Code.CONFLICT, message, self.loaded.place(BUDGETS, key), hint)


def read_budgets(path: str, new: Policy) -> SpecBudgets:
    """Read the budgets of the spec at `path`, from which the policy `new` must have been compiled.

    Raises TailcError for an invalid spec, for the spec of another policy, and for a kind of policy
    that serves no requests.
    """
    loaded = open_document(path)
    model = loaded.model
    if not isinstance(model, WithSlos):
        message = "is a kind without requests, so budgets do not apply to it"
        place = loaded.place("kind")
        raise TailcError(Finding(Code.CONFLICT, f"`kind` {message}", place, "remove `--budgets`"))
    if model.name != new.name:
        message = f"`name` is `{model.name}`, but the policy is `{new.name}`"
        hint = "give the spec of the policy itself"
        raise TailcError(Finding(Code.CONFLICT, message, loaded.place("name"), hint))
    return SpecBudgets(model.budgets, loaded)


def _budget_text(one: BudgetRuling, what: str) -> str:
    head = f"`{BUDGETS}.{one.key}` {what} at {one.arrivals}"
    if one.change_ppm is None:
        return f"{head}: a server is overloaded"
    limits = "an unknown interval"
    if one.low_ppm is not None and one.high_ppm is not None:
        limits = f"{change_text(one.low_ppm)} .. {change_text(one.high_ppm)}"
    change = change_text(one.change_ppm)
    return f"{head}: {change} ({limits}), where +{format_ppm(one.most_ppm)} is allowed"


def change_text(ppm: int) -> str:
    """Format a relative change, rounded to a hundredth of a percent, such as `+1.25 %`."""
    return f"{ppm / _PPM_PER_PERCENT:+.2f} %"
