"""Octopus-Man: use cores of one type at a time, as many as the rate needs.

Haque et al., MICRO 2017, section 5.5. The candidates are all numbers of slow cores in ascending
order, then the numbers of cores of the next type that are at least as fast as all cores of the type
before. Under a changing rate, the candidate for the measured rate is looked up every 5 s.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from tailc.forms.ladder.table import PPM, Ladder
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_types.by_rate import least_energy_by_rate
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.same_cores import NO_TYPES, has_a_type_each, same_cores, units, wants
from tailc.models.execution_model import BaselineSearch
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload


@final
class OneType(Baseline[CoreTypes]):
    """Baseline for several types of core: only one type is used at a time."""

    syntax = Syntax("octopus")
    about = "cores of one type only, as many as are needed, searched for each rate"
    rank = 80

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return ("octopus",) if len(policy.ladder.rungs) > 1 else ()

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        return None if has_a_type_each(policy.ladder) else Unfit(NO_TYPES)

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ()

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        return one_type(setup.policy.ladder, setup.search)


def one_type(ladder: Ladder, search: BaselineSearch) -> CoreTypes:
    """Make the baseline that uses cores of one type: the type and number of least energy.

    They meet the target, and are chosen for each rate of a changing load.
    """
    candidates = tuple(_on_type(ladder, rung, count) for rung, count in sets(ladder))
    return least_energy_by_rate(candidates, search)


def sets(ladder: Ladder) -> Iterator[tuple[int, int]]:
    """The candidates of the baseline with one core type: (rung of the type, number of cores)."""
    supply = 0
    for rung, type_ in enumerate(ladder.rungs):
        cores = _cores(ladder, rung)
        fewest = max(-(-supply // type_.speed_ppm), 1)
        yield from ((rung, count) for count in range(min(fewest, cores), cores + 1))
        supply = cores * type_.speed_ppm


def _cores(ladder: Ladder, rung: int) -> int:
    unit = units(ladder)[rung]
    assert unit is not None
    return (ladder.cost_units[unit].capacity_ppm or 0) // PPM


def _on_type(ladder: Ladder, rung: int, count: int) -> CoreTypes:
    cores = tuple(count if other == rung else 0 for other in range(len(ladder.rungs)))
    return CoreTypes(
        "Octopus-Man",
        (same_cores(ladder, wants(rung)),),
        note=f"{count} of {ladder.rungs[rung].name}",
        cores_on=cores,
    )
