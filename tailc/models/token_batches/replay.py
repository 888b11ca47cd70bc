"""Replay requests on a language model's server under a scheduler of token batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.models.token_batches import engine as kernels
from tailc.models.token_batches.arrays import (
    TokenRequests,
    TokenScheduler,
    engine_arrays,
    shortest_first,
    table_arrays,
)
from tailc.models.token_batches.outcome import TokenOutcome
from tailc.models.token_batches.token_log import COUNTS, TokenLog


def replay(scheduler: TokenScheduler, requests: TokenRequests) -> TokenOutcome:
    """Replay requests to a language model with a scheduler, until the last one ends.

    All requests must fit into the cache.
    """
    return _replay(scheduler, requests, recorded=0)


def iterations(scheduler: TokenScheduler, requests: TokenRequests) -> NDArray[np.int64]:
    """Contents of each iteration in a replay of a language model's server; int64 (iterations, 3).

    Columns: prompt tokens, decoding sequences, and tokens that are already in the cache of the
    iteration's sequences.
    """
    number = replay(scheduler, requests).iterations
    return _replay(scheduler, requests, recorded=number).log.steps


def _replay(scheduler: TokenScheduler, requests: TokenRequests, recorded: int) -> TokenOutcome:
    if scheduler.shortest_first:
        requests = shortest_first(requests)
    table = table_arrays(scheduler.table)
    number = len(requests.arrival_ns)
    log = TokenLog(
        np.zeros(number, np.int64),
        np.zeros(number, np.int64),
        np.zeros(int(requests.first_gap[-1]), np.int64),
        np.zeros(table.budgets.shape, np.int64),
        np.zeros(COUNTS, np.int64),
        np.zeros((recorded, 3), np.int64),
    )
    assert kernels.run(engine_arrays(scheduler), table, requests, log)
    return TokenOutcome(requests, log)
