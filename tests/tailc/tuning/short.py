"""Compiles whose searches and judges replay a fraction of what they do for users.

For tests of what a compile does with the table that it finds, and says of it. A search has as many
generations as with its smallest budget; how good a table it finds in the requests of a user's is
for the tests of searches.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tailc.experiment.sizes import VALIDATION, Size
from tailc.pipeline.auto import effort

REQUESTS = 5_000
"""In each replay that ranks or judges tables: a quarter."""
_EACH = 2_000
"""In each trial of a search, instead of 5,000: so smallest budgets are two fifths of what they are
otherwise.
"""

FEW = ("--replicates", 49)
"""For `verify`: as few bootstrap samples as there may be, for tests of estimates."""
BRIEF = ("--requests", 400, *FEW)
"""For tests of what is judged, and not of how."""


@contextmanager
def short_searches(judged: int = REQUESTS) -> Generator[None]:
    """At percentiles up to the 97th; so many requests are `judged` on in each replay."""
    with pytest.MonkeyPatch.context() as patched:
        size = Size(judged, VALIDATION.repeats)
        patched.setattr("tailc.tuning.samples.VALIDATION", size)
        patched.setattr("tailc.tuning.search._FEWEST_REQUESTS", _EACH)
        with brief_estimates():
            yield


@contextmanager
def brief_estimates() -> Generator[None]:
    """What a compile says of the policy that it is about to write is of fewer and shorter replays.

    Whatever the effort: that of the search stays.
    """
    few = effort.JudgingSize(REQUESTS, 6, 49)
    budgets = {each: replace(each.budget, judging=few) for each in effort.Effort}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(effort, "_BUDGETS", budgets)
        yield
