"""Settings by hand as tables, and the subset of candidates that a search must beat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np

from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.models.execution_model import BaselineSearch
from tailc.models.ladder_model import LadderModel
from tailc.models.workload import Workload
from tailc.tuning.criteria import penalized_amounts
from tailc.tuning.tuning_sample import Form, TuningSample

# Number of the best tables at each rate that are kept, and of tables near the best at all rates.
_BEST_BY_RATE, _NEVER_FAR = 2, 2
_PARTS_OF_TARGET = (0.93, 1.0, 1.07)


@dataclass(frozen=True)
class Option(Generic[Form]):
    """A candidate table of the method `auto`, with the name that reports print."""

    name: str
    table: Form


def distinct(tables: Iterable[Ladder]) -> list[Ladder]:
    """Remove duplicate tables, and keep their order."""
    return list(dict.fromkeys(tables))


def set_by_hand(
    subject: LadderModel, load: Workload, search: BaselineSearch
) -> list[Option[Ladder]]:
    """List the baselines with fixed settings of a model that can be represented as a table."""
    made = (subject.baseline(name, load, search) for name in subject.hand_settings(load))
    return [Option(one.name, one.table) for one in made if one.table is not None]


def promising(
    options: Sequence[Option[Form]], trials: TuningSample[Form], aim: TuningObjective
) -> list[Option[Form]]:
    """Select the candidates that are among the best at some rate, or never far from the best.

    If there is a latency limit, the same is done for a slightly lower and a slightly higher one,
    since other candidates may be the cheapest that meet the limit on other requests.
    """
    seen = trials.measure([one.table for one in options])
    found: set[int] = set()
    for each in _about(aim):
        amounts = penalized_amounts(seen, each)
        ratios = amounts / np.maximum(amounts.min(axis=0), 1.0)
        best = np.argsort(ratios, axis=0, kind="stable")[:_BEST_BY_RATE].ravel()
        near = np.argsort(ratios.max(axis=1), kind="stable")[:_NEVER_FAR]
        found |= {*best.tolist(), *near.tolist()}
    return [options[at] for at in sorted(found)]


def _about(aim: TuningObjective) -> list[TuningObjective]:
    """The objective with a lower, the same and a higher latency to keep, if there is one."""
    if aim.target_us is None:
        return [aim]
    return [replace(aim, target_us=round(aim.target_us * part)) for part in _PARTS_OF_TARGET]


def least_far(tables: Sequence[Ladder], trials: TuningSample[Ladder], aim: TuningObjective) -> int:
    """Number of the table that is nowhere far from the best one.

    That is the table whose largest relative excess over the best of them, at any rate, is smallest.
    """
    amounts = penalized_amounts(trials.measure(tables), aim)
    return int((amounts / np.maximum(amounts.min(axis=0), 1.0)).max(axis=1).argmin())
