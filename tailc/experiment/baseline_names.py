"""The names of baselines that a comparison is made with."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.models.execution_model import Subject
from tailc.models.named_baselines import chosen
from tailc.models.workload import Workload


def chosen_names(
    names: Sequence[str] | None, policy: Subject, workload: Workload
) -> tuple[str, ...]:
    """Each name once, `all` and `first` made the names that they stand for; None: all defaults.

    Raises TailcError with every name that is no baseline of this policy.
    """
    return chosen(names, lambda: policy.default_baselines(workload), policy.check_baseline)
