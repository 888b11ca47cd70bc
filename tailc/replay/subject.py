"""What is replayed: a policy's ladders or a baseline's, and which one each request climbs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import Ladder


@dataclass(frozen=True, eq=False)
class Subject:
    """One way to run the requests of a workload on one server.

    ladders: all on the same rungs and cost units, with the same quantum, rules and boost.
    ladder_of: int32 (records,), the ladder each record climbs; None: all climb the first.
    boosts_at_start: whether a request that starts on the last rung can be boosted as one that
    climbs there; no policy asks for it, but fixed parallelism with boosting does.
    note: what was chosen for it, for people ("threshold 225 ms"), or nothing.
    """

    name: str
    ladders: tuple[Ladder, ...]
    ladder_of: NDArray[np.int32] | None = None
    boosts_at_start: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        assert self.ladders
        assert self.ladder_of is None or int(self.ladder_of.max()) < len(self.ladders)
