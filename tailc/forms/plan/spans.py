"""Servers by pool and epoch as the spans of a plan."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.plan import Span


def spans_of(places: NDArray[np.int64]) -> tuple[Span, ...]:
    """Places as a plan states them: int64 (pools, epochs) to spans, the fewest there are."""
    found = []
    for pool, row in enumerate(places):
        starts = np.flatnonzero(np.diff(row, prepend=0))
        ends = np.append(starts, len(row))[1:]
        found += [
            Span(pool, int(start), int(end - start), int(row[start]))
            for start, end in zip(starts, ends, strict=True)
            if row[start] > 0
        ]
    return tuple(sorted(found, key=lambda span: (span.first_epoch, span.pool)))
