"""A policy and held-out requests to judge it on, small and by hand."""

import numpy as np

from tailc.artifact.envelope import Evidence, Input, InputRole, Policy
from tailc.forms.ladder.table import Ladder
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile, Measure
from tailc.traces.reading import (
    CommonCurve,
    Curve,
    DemandColumn,
    DemandReading,
    Rows,
    TimeUnit,
    ValueMeaning,
)
from tests.tailc.models.shared_cores.servers import at_once, ladder

READING = DemandReading(
    ValueMeaning(Measure.DEMAND_BUSY, "core", TimeUnit.MS),
    Rows(),
    DemandColumn("ms"),
    CommonCurve(Curve(None, (1_000_000,))),
)
EVIDENCE = Evidence("tail", "grid", "grid-exhausted", "by hand", (), 0, (), ())


def climbing(cores: int = 8) -> Ladder:
    """Few in the system: two threads from the start; more: one, and two after 20 ms."""
    return ladder(at_once((0, 1), last=3), at_once((0, 0), (20, 1), first=4), cores=cores, rungs=2)


def policy(
    *slos: Slo,
    form: Ladder | None = None,
    rates_mrps: tuple[int, ...] = (100_000,),
    compiled_from: DemandProfile | None = None,
    role: InputRole = InputRole.DESIGN,
) -> Policy:
    inputs = ()
    if compiled_from is not None:
        count = compiled_from.total_weight
        inputs = (Input(role, compiled_from.digest, len(compiled_from.demand_ms), count),)
    forms = (form or climbing(),)
    return Policy("search", "few-to-many", 3, slos, rates_mrps, forms, inputs, READING, EVIDENCE)


def held_out(
    requests: int = 2000, seed: int = 1, weight: int = 1, degrees: int = 2
) -> DemandProfile:
    """Gamma demand with mean 20 ms, speed-up 1.8 at two threads."""
    demand_ms = np.random.default_rng(seed).gamma(2, 10, requests)
    curve = np.array([[1, 1.8, 2.4]])[:, :degrees]
    return DemandProfile(
        demand_ms,
        np.full(requests, weight),
        curve,
        np.zeros(requests, np.int32),
        (),
        Measure.DEMAND_BUSY,
        "core",
    )
