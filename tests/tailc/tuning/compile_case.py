"""Helpers of test_compile.py that other tests use too."""

from __future__ import annotations

import json

from tests.tailc.policies.few_to_many.case import write

BUDGET = 6_000_000
RATES = "rates: [30/s, 90/s]"


def queued(folder, **search):
    """The kit's spec with the method `simulation`."""
    case = write(folder)
    told = {"step": "20ms", "method": "simulation", "requests": BUDGET, **search}
    search_line = f"search: {json.dumps(told)}"
    spec = case.spec.read_text().replace("search: {method: grid, step: 20ms}", search_line)
    case.spec.write_text(spec.replace("rates: [60/s]", RATES))
    return case
