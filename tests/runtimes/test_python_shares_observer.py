"""The Python runtime under the observer: the reference's shares, tick by tick."""

from __future__ import annotations

from random import Random

import tailc_runtime

from tailc.artifact.files import write_policy
from tailc.forms.shares import Machine, ShareLaw
from tailc.forms.shares_step import first_state, tick
from tests.tailc.models.cpu_shares.hosts import shares_of
from tests.tailc.verify.throughput.judge_case import policy

MACHINES = (
    Machine("calm", 30_000, 700_000, 40_000),
    Machine("wild", 8_000, -200_000, 50_000),
    Machine("nightly", None, 0, 1),
)


def test_the_runtime_grants_what_the_reference_grants(tmp_path):
    shares = shares_of(*MACHINES, law=ShareLaw.OBSERVER)
    write_policy(policy(*MACHINES, law=ShareLaw.OBSERVER), tmp_path / "p")
    broker = tailc_runtime.open_shares(tmp_path / "p.tailc")
    rng, state = Random(1), first_state(shares)
    for ticks in range(600):
        phase = 1.5 if ticks // 150 % 2 else 0.8
        measured = [30 * phase * rng.uniform(0.9, 1.1), 8 * rng.uniform(0.2, 2.0)]
        state = tick(shares, state, measured)
        assert broker.tick(measured) == state.granted_ppm
