"""Requests that the search of budgets replays, and those that it does not see."""

from __future__ import annotations

import numpy as np
import pytest

from tailc.traces.profile import Measure
from tailc.traces.reading import Rows, TimeUnit, TokenColumns, TokensReading, ValueMeaning
from tailc.traces.tokens import TokenTrace
from tailc.tuning.token_budgets import MOST_OUTPUT_TOKENS, search_part, unseen_part


def trace(output: list[int]) -> TokenTrace:
    """Requests of a prompt token each, at a request a second."""
    numbers = np.arange(len(output))
    columns = TokenColumns("time", "prompt", "output", None)
    reading = TokensReading(ValueMeaning(Measure.TOKENS, "", TimeUnit.S), Rows((), None), columns)
    ones = np.ones_like(numbers)
    return TokenTrace(
        numbers * 1_000_000, ones, np.array(output), 0 * ones, numbers + 1, "", reading
    )


@pytest.mark.parametrize(
    ("output", "searched"),
    [
        ([10] * 40, (1, 28)),
        ([MOST_OUTPUT_TOKENS // 20] * 40, (9, 28)),
        ([10] * 27 + [MOST_OUTPUT_TOKENS + 1] + [10] * 12, (19, 28)),
    ],
)
def test_the_search_replays_the_latest_requests_before_those_that_it_does_not_see(output, searched):
    """At least ten, even if their outputs are very long."""
    whole = trace(output)
    first, last = searched
    assert search_part(whole).row.tolist() == list(range(first, last + 1))
    assert unseen_part(whole).row.tolist() == list(range(29, 41))
