"""Oblivious: run every request on a random core of any type (Haque, 2016, section 5.2.6)."""

from __future__ import annotations

from typing import final

from tailc.forms.ladder.table import Ladder
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.same_cores import NO_TYPES, has_a_type_each, same_cores, wants
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload

SEED = 1


@final
class Oblivious(Baseline[CoreTypes]):
    """Baseline for several types of core: each request runs on a random core."""

    syntax = Syntax("oblivious")
    about = "a core at random, types weighted by their cores; no moves"
    rank = 70

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return ("oblivious",) if len(policy.ladder.rungs) > 1 else ()

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        return None if has_a_type_each(policy.ladder) else Unfit(NO_TYPES)

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ()

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        return oblivious(setup.policy.ladder)


def oblivious(ladder: Ladder) -> CoreTypes:
    """Make the baseline in which each request starts on a random core and stays there.

    If all cores of the random type are busy, it takes a free core of the next type up; the last
    type is followed by the first.
    """
    ladders = (same_cores(ladder, wants(0), make_room=False),)
    return CoreTypes("Oblivious", ladders, random_seed=SEED)
