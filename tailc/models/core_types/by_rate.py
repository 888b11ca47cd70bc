"""Find the best setting of all cores for each rate, to look it up while the rate changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.same_cores import cores_of_units, same_cores, wants
from tailc.models.execution_model import BaselineSearch
from tailc.models.steering import Lookup, Setting


def least_energy_by_rate(candidates: Sequence[CoreTypes], search: BaselineSearch) -> CoreTypes:
    """Find the candidate setting that uses the least energy and meets the target, for each rate.

    Each candidate has one row with one climb, and all use the same cores. If the rate changes, the
    result looks up the candidate for the measured rate. The choice at a rate also holds for lower
    rates, down to the next choice.
    """
    rates = search.at_rates()
    if not rates:
        return search.least_energy(candidates)
    chosen = [(rate_mrps, at.least_energy(candidates)) for rate_mrps, at in rates]
    runs = [list(run) for _, run in groupby(chosen, key=lambda pair: pair[1].note)]
    firsts = [0, *(run[-1][0] + 1 for run in runs[:-1])]
    best = [run[0][1] for run in runs]
    settings = tuple(map(_setting, firsts, best))
    ends = dict.fromkeys((best[0].note, best[-1].note))
    most = zip(*(setting.cores_on for setting in settings), strict=True)
    return replace(
        best[-1],
        ladders=(same_cores(best[-1].ladder, wants(settings[-1].rung), make_room=False),),
        steering=Lookup(settings),
        cores_on=tuple(map(max, most)),
        note=" to ".join(ends) + ", by rate" * (len(best) > 1),
    )


def _setting(first_rate_mrps: int, subject: CoreTypes) -> Setting:
    (climb,) = subject.ladder.rows[0].climbs
    return Setting(first_rate_mrps, climb.rung, subject.cores_on or cores_of_units(subject.ladder))
