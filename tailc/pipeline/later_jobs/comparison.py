"""Compare rules for jobs that a plan does not include, by replays on the same windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tailc.experiment.window_means import WindowMean, change_of
from tailc.models.datacentre.quantities import QuantitySample

Floats = np.ndarray

# A mean increase up to this share is accepted if its interval contains 0.
NOISE = 0.02


@dataclass(frozen=True, eq=False)
class JudgedRule:
    """The replays of a rule for jobs that a plan does not include; amounts per window of days.

    name: of the rule, None for prices. loss: what is minimised [dollars]; float64 (windows,).
    brown: weighted cost of brown energy [dollars], negative at negative prices; None if only `loss`
    counts. broken: share of jobs with a broken promise.
    """

    name: str | None
    loss: Floats
    brown: Floats | None
    broken: float

    @property
    def mean(self) -> float:
        """Mean loss of a window of days [dollars]."""
        return float(self.loss.mean())

    def gain_over(self, other: JudgedRule) -> WindowMean:
        """By how much the mean loss is below that of another rule, paired by window."""
        return _change(other.loss, self.loss)

    def draws_more_than(self, other: JudgedRule) -> bool:
        """Whether this rule's brown energy costs more, beyond noise or by more than `NOISE`."""
        if self.brown is None or other.brown is None:
            return False
        change = _change(self.brown, other.brown)
        if change.low is None:
            return change.value > 0
        return change.low > 0 or change.value > NOISE * abs(float(other.brown.mean()))


def best_rule(judged: Sequence[JudgedRule], promised: float) -> JudgedRule:
    """Choose the rule for later jobs with the lowest mean loss among the rules without a fault.

    If every rule has a fault (`fault_of`), among all. The first rule is the reference that faults
    are relative to. Ties go to the earlier rule.
    """
    allowed = [one for one in judged if fault_of(one, judged[0], promised) is None]
    return min(allowed or judged, key=lambda one: one.mean)


def fault_of(rule: JudgedRule, reference: JudgedRule, promised: float) -> str | None:
    """The reason why a rule for later jobs is not chosen, whatever its loss; None without one.

    Reasons are more broken promises than promised, or more brown energy than under the reference.
    """
    if rule.broken > promised:
        return f"breaks {rule.broken * 100:.3g} % of the promises"
    if rule.draws_more_than(reference):
        return "draws more brown energy"
    return None


def _change(new: Floats, old: Floats) -> WindowMean:
    ones = np.ones(len(new))
    return change_of(QuantitySample(new, ones), QuantitySample(old, ones))
