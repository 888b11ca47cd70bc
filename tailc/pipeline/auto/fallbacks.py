"""Tables to compare when none that was found is safe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tailc.forms.ladder.table import Ladder
from tailc.pipeline.auto.joined_tables import joined_at_loads
from tailc.pipeline.auto.stable import ending_lean, leanest_variants


def fallbacks(
    table: Ladder,
    baselines: Sequence[Ladder],
    cores: int,
    nearest: Callable[[Sequence[Ladder]], Ladder],
) -> Iterator[Ladder]:
    """The table with fewer rows that climb, and the table joined with each baseline.

    nearest: the one of several tables that is least far from the best at any rate; it selects the
    load of each join.
    """
    yield from leanest_variants(table, cores)
    for baseline in baselines:
        yield ending_lean(nearest(list(joined_at_loads(table, baseline, cores))), cores)
