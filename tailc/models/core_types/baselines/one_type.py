"""Octopus-Man: only cores of one type at a time, as many as the load needs.

Haque et al., MICRO 2017, section 5.5. The sets are all numbers of slow cores, ascending, then those
numbers of the next type that are as fast together as all of the type before, or faster.
"""

from __future__ import annotations

from collections.abc import Iterator

from tailc.forms.ladder.table import PPM, Ladder
from tailc.models.baselines.search import Search
from tailc.models.core_types.baselines.same_cores import same_cores, units, wants
from tailc.models.subject import Subject


def one_type(ladder: Ladder, search: Search) -> Subject:
    """The set of the least energy at the target; other cores are off and draw nothing."""
    return search.least_energy(_on(ladder, rung, count) for rung, count in sets(ladder))


def sets(ladder: Ladder) -> Iterator[tuple[int, int]]:
    """Every set, as a rung and a number of its cores."""
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


def _on(ladder: Ladder, rung: int, count: int) -> Subject:
    cores = tuple(count if other == rung else 0 for other in range(len(ladder.rungs)))
    return Subject(
        "Octopus-Man",
        (same_cores(ladder, wants(rung)),),
        note=f"{count} of {ladder.rungs[rung].name}",
        cores_on=cores,
    )
