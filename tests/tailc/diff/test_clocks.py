"""The paired change of tails and energy of tail tables."""

from dataclasses import replace

import numpy as np

from tailc.diff.behaviour import behaviour
from tailc.diff.change import Significance
from tailc.experiment.options import VerifyOptions
from tailc.models.arrivals import RecordedArrivals
from tests.tailc.models.core_queues.servers import MS
from tests.tailc.models.core_queues.usage_case import TABLE, alike, policy

GAPS = RecordedArrivals(np.arange(2000) * 100 * MS, None, "gaps")
OPTIONS = VerifyOptions(replicates=49, requests_per_replay=2000, arrivals=(GAPS,))


def test_a_higher_frequency_costs_what_its_power_says():
    faster = replace(TABLE, levels=TABLE.levels[1:])
    found = behaviour(policy(TABLE), policy(faster), alike(), OPTIONS)
    change = {one.name: one.change for one in found.points[0].quantities}
    # 10 ms at 1 W, 5 ms at 4 W
    assert (change["mean energy"].old, change["mean energy"].new) == (10_000, 20_000)
    assert change["mean energy"].significance is Significance.WORSE
    assert (change["p95"].old, change["p95"].new) == (10_000, 5_000)
    assert change["p95"].significance is Significance.BETTER


def test_which_requests_run_otherwise_is_not_told():
    told = behaviour(policy(), policy(), alike(), OPTIONS).decisions
    assert told.unknown == "the frequency of a core depends on all requests at the core"
