"""Names of baselines: all defaults, the first of them, and those that are none."""

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.experiment.baseline_names import choose_baselines
from tailc.forms.ladder.lanes import Lanes, lane_ladder, plan_at_any_load
from tailc.models.core_queues.clocks import Clocks
from tailc.models.core_queues.model import CoreQueues
from tailc.models.core_types.model import CoreTypes
from tailc.models.execution_model import Subject
from tailc.models.named_baselines import folder_in
from tailc.models.shared_cores.model import SharedCores
from tailc.models.smt.model import Smt
from tailc.models.workload import Workload
from tests.tailc.models.core_queues.servers import GHZ, tail_table
from tests.tailc.models.core_types.servers import MS, cores, levels, row
from tests.tailc.models.shared_cores.servers import at_once, ladder

AMP = CoreTypes("ours", (cores([4, 2], row((0, 0), (40, 1))),))
DVFS = CoreTypes("ours", (levels(4, row((0, 0), (40, 1), (80, 2)), speeds=(1, 1.5, 2)),))
THREADS = SharedCores("ours", (ladder(at_once((0, 0)), cores=4, rungs=2),))
CLOCKS = CoreQueues("ours", Clocks(tail_table((0, 0)), GHZ))
LANES = Smt("ours", (lane_ladder(Lanes(2, 400_000, 250_000), plan_at_any_load(9_000, 2)),))
LOAD = Workload(
    np.array([10 * MS]), np.ones(1, np.int64), np.zeros(1, np.int32), np.array([[1.0, 2.0]])
)


def test_first_is_the_first_of_the_defaults():
    assert choose_baselines(("first",), AMP, LOAD) == ("tl",)
    assert choose_baselines(("first",), THREADS, LOAD) == ("seq",)
    assert choose_baselines(("first",), CLOCKS, LOAD) == ("fixed-1GHz",)
    assert choose_baselines(("ee", "first", "tl"), AMP, LOAD) == ("ee", "tl")
    assert choose_baselines(None, DVFS, LOAD) == ("tl", "ee", "rc")


def test_every_name_that_is_no_baseline_is_refused_at_once():
    with pytest.raises(TailcError) as refused:
        choose_baselines(("seq", "fix-9", "nope"), THREADS, LOAD)
    assert [finding.code for finding in refused.value.findings] == [Code.USAGE, Code.USAGE]


@pytest.mark.parametrize("policy", [AMP, DVFS, THREADS, CLOCKS, LANES])
def test_lists_of_the_names_there_are_have_names_of_the_baselines_themselves(policy: Subject):
    package = type(policy).__module__.removesuffix("model") + "baselines"
    for one in folder_in(package).baselines:
        for name in (*one.examples(policy), *one.default_names(policy, LOAD)):
            assert one.syntax.read(name) is not None


@pytest.mark.parametrize("policy", [AMP, DVFS, THREADS, CLOCKS, LANES])
def test_every_default_fits(policy: Subject):
    assert choose_baselines(policy.default_baselines(LOAD), policy, LOAD)


def test_a_name_that_is_given_twice_is_replayed_once():
    assert choose_baselines(("ee", "tl", "ee"), AMP, LOAD) == ("ee", "tl")
