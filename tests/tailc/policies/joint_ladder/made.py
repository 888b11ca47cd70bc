"""Specs of joint ladders on demands given in the test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tailc.policies.joint_ladder.spec import JointSpec
from tailc.traces.profile import DemandProfile, Measure

# Haque et al., MICRO 2017, table 4: speed and power of per-core frequency scaling.
PUBLISHED = [(1, 1.7), (1.3, 2.7), (1.6, 3.8), (1.9, 5.3), (2, 6.8)]


def spec(levels: Sequence[tuple[float, float]] = PUBLISHED, **changes) -> JointSpec:
    """A spec with so many (speed, power) levels, each named as `f` and its speed."""
    written = [{"name": f"f{speed:g}", "speed": speed, "power": power} for speed, power in levels]
    whole = {
        "apiVersion": "tailc/v1",
        "kind": "joint-ladder",
        "name": "toy",
        "slo": [{"percentile": "99%", "latency": "200ms"}],
        "demand": {
            "trace": "toy.csv",
            "column": "demand_ms",
            "unit": "ms",
            "measure": "demand-busy",
            "reference": f"f{levels[0][0]:g}",
        },
        "speedup": [1, 1.9, 2.65, 3.2],
        "cores": {"dvfs": {"count": 1000, "levels": written}},
        "server": {"peak_power": 102},
    }
    return JointSpec.model_validate(whole | changes)


def typed(types: Sequence[tuple[float, float, int]], **changes) -> JointSpec:
    """A spec with so many types of cores (speed, power, count), each named as `c` and its speed."""
    written = [{"name": f"c{s:g}", "speed": s, "power": p, "count": n} for s, p, n in types]
    own: dict[str, object] = {"cores": {"types": written}, "server": {}}
    return spec([types[0][:2]], **own | changes)


def profile(own: JointSpec, demand_ms: Sequence[float]) -> DemandProfile:
    """Those demands, one request each, at the speeds of the spec's rungs."""
    requests = len(demand_ms)
    return DemandProfile(
        np.array(demand_ms, dtype=np.float64),
        np.ones(requests, np.int64),
        np.array([[rung.speed_ppm / 1e6 for rung in own.rungs]]),
        np.zeros(requests, np.int32),
        (),
        Measure.DEMAND_BUSY,
        "one thread at the lowest level",
    )
