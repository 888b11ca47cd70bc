"""Arrays that the compiled replay of a language model's server writes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]

# Numbers in `counts` of a log.
ITERATIONS, PREEMPTIONS, PROMPT_TOKENS, DECODED_TOKENS, BUSY_NS = 0, 1, 2, 3, 4
COUNTS = 5


class TokenLog(NamedTuple):
    """Log of a replay of a language model's server, filled by compiled code.

    Attributes:
        ttft_ns, end_ns: time to the first and to the last token, int64 (requests,).
        gap_ns: times between output tokens, int64 (gaps,).
        visits: time [ns] of the iterations that used each cell of the budget table, int64 (rows,
            columns).
        counts: number of iterations, preemptions, prompt tokens and decoded tokens, and busy time
            [ns], int64 (COUNTS,).
        steps: prompt tokens, decoding sequences and context of the first iterations, as many as
            there is room for, int64 (iterations, 3).
    """

    ttft_ns: Int64s
    end_ns: Int64s
    gap_ns: Int64s
    visits: Int64s
    counts: Int64s
    steps: Int64s
