"""The published Lucene table on its published server, and demand as near to it as is published.

Haque et al., ASPLOS 2015, table 2 and section 6.1: 15 cores, a quantum of 5 ms, boosting. The
demand itself is not published; a gamma law (shape 1.625, scale 144 ms) has its mode and median.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tailc.artifact.envelope import Policy
from tailc.artifact.files import read_policy
from tailc.forms.ladder.table import ON_EXIT, Boost, Climb, CostUnit, Ladder, Row, Rule
from tailc.models.shared_cores.baselines.sequential import sequential
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile, Measure

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "schemas" / "vectors" / "v1" / "lucene.tailc"
SPEEDS = (1.0, 1.9, 2.65, 3.2)
SHAPE, SCALE_MS = 1.625, 144.0
CORES = 15
QUANTUM_US = 5_000
PPM = 1_000_000


def demand_ms(requests: int, seed: int = 1) -> NDArray[np.float64]:
    return np.random.default_rng(seed).gamma(SHAPE, SCALE_MS, requests)


def profile(requests: int) -> DemandProfile:
    return DemandProfile(
        demand_ms(requests),
        np.ones(requests, np.int64),
        np.array([SPEEDS]),
        np.zeros(requests, np.int32),
        (),
        Measure.DEMAND_BUSY,
        "core",
    )


def policy() -> Policy:
    """The published table as a policy with a promise, on the published server."""
    published = read_policy(TABLE)
    return dataclasses.replace(
        published,
        forms=(on_its_server(published.forms[0]),),
        slos=(Slo(990_000, 500_000),),
        inputs=(),
    )


def on_its_server(ladder: Ladder) -> Ladder:
    rungs = tuple(
        dataclasses.replace(rung, cost_ppm=((i + 1) * PPM,)) for i, rung in enumerate(ladder.rungs)
    )
    return dataclasses.replace(
        ladder,
        cost_units=(CostUnit("threads", CORES * PPM),),
        rungs=rungs,
        rules=(Rule.BOOST_LAST_RUNG, Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        boost=Boost(0, CORES * PPM),
        quantum_us=QUANTUM_US,
    )


def first_come_first_served(ladder: Ladder) -> Ladder:
    """Sequential requests, one a core, the others in a queue: M/G/15."""
    alone = sequential(ladder)
    at_once = dataclasses.replace(alone.rows[0], first_load=0, last_load=CORES)
    return dataclasses.replace(alone, rows=(at_once, Row(CORES + 1, None, ON_EXIT, (Climb(0, 0),))))
