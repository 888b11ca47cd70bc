"""Convert servers by pool and epoch to spans of a plan."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.plan import Span


def spans_of(places: NDArray[np.int64]) -> tuple[Span, ...]:
    """Convert a job's servers, int64 (pools, epochs), to the fewest spans.

    A span is a number of servers of one pool for successive epochs.
    """
    spans = []
    for pool, row in enumerate(places):
        starts = np.flatnonzero(np.diff(row, prepend=0))
        ends = np.append(starts, len(row))[1:]
        spans += [
            Span(pool, int(start), int(end - start), int(row[start]))
            for start, end in zip(starts, ends, strict=True)
            if row[start] > 0
        ]
    return tuple(sorted(spans, key=lambda span: (span.first_epoch, span.pool)))
