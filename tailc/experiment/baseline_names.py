"""Resolve the names of baselines for a comparison."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.models.execution_model import Subject
from tailc.models.named_baselines import choose_names
from tailc.models.workload import Workload


def choose_baselines(
    names: Sequence[str] | None, policy: Subject, workload: Workload
) -> tuple[str, ...]:
    """Expand `all` and `first` to baseline names, without duplicates; None: all defaults.

    Raises TailcError with every name that is not a baseline of this policy.
    """
    return choose_names(names, lambda: policy.default_baselines(workload), policy.check_baseline)
