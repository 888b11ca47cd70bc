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
    """What the compiled replay of a language model's server records.

    ttft_ns, end_ns: int64 (requests,), times to the first and to the last token. gap_ns: int64
    (gaps,), times between tokens. visits: int64 (rows, columns), time [ns] of iterations by the
    cell that they used. counts: int64 (COUNTS,). steps: int64 (iterations, 3), prompt tokens,
    decoding sequences and context of the first iterations, as many as there is room for.
    """

    ttft_ns: Int64s
    end_ns: Int64s
    gap_ns: Int64s
    visits: Int64s
    counts: Int64s
    steps: Int64s
