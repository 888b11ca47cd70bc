"""Times of iterations by the model that a policy of token budgets includes."""

from __future__ import annotations

import json
from bisect import bisect_right
from pathlib import Path
from typing import Any


class StepTimes:
    """The model in a policy as JSON: see docs/artifact-format.md."""

    def __init__(self, policy: Path) -> None:
        self._step: dict[str, Any] = json.loads(policy.read_bytes())["forms"][0]["engine"]["step"]

    def ns(self, prompt: int, decoding: int, context: int) -> int:
        """Time of an iteration [ns]."""
        amounts = {
            "tokens": prompt + decoding,
            "prompt": prompt,
            "decoding": decoding,
            "context": context,
        }
        return self._step["fixed_ns"] + sum(
            _part_ns(self._step[name], amount) for name, amount in amounts.items()
        )


def _part_ns(part: dict[str, list[int]], amount: int) -> int:
    knots, times = part["knots"], part["time_ns"]
    at = min(max(bisect_right(knots, amount) - 1, 0), len(knots) - 2)
    rise, run = times[at + 1] - times[at], knots[at + 1] - knots[at]
    return times[at] + (amount - knots[at]) * rise // run
