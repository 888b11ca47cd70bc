"""What a spec of a joint ladder refuses."""

import pytest
from pydantic import ValidationError

from tailc.errors import TailcError
from tests.tailc.policies.joint_ladder.made import PUBLISHED, spec, typed

ENERGY, BATCH = {"search": {"objective": "energy"}}, {"search": {"objective": "batch"}}
LEVEL = {"name": "f1", "speed": 1, "power": 1.7}
CLASSES = {"classes": {"column": "kind", "curves": {"a": [1, 2], "b": [1, 1.5]}}}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cores": {"dvfs": {"count": 59, "levels": [LEVEL]}}}, "runs 60 cores at the lowest"),
        ({"server": {}}, "with `dvfs` requests share"),
        ({"server": {"peak_power": "102W"}}, "in another unit"),
        ({"server": {"peak_power": 1}}, "less than the power of one core at"),
        ({"server": {"peak_power": 102, "target_power": 1}}, "less than the power of one core at"),
        ({"server": {"peak_power": 102, "target_power": [60, 102]}}, "`rates` is missing"),
        (
            {"server": {"peak_power": 102, "target_power": [60, 102]}, **ENERGY},
            "swept for the least tail",
        ),
        ({"server": {"peak_power": 102, "max_threads": 5}}, "speed-ups for 4 threads"),
        ({"speedup": CLASSES}, "needs one curve"),
        ({"target": "150ms"}, "applies only to the objective `energy`"),
        ({"target": "250ms", **ENERGY}, "is above the first SLO's latency"),
        (
            {"slo": [{"percentile": "99%", "latency": "200ms", "class": "a"}]},
            "requests of this kind have no classes",
        ),
        ({"rates": ["10/s", "10/s"]}, "is a rate that the list already has"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(changes, said):
    with pytest.raises(ValidationError, match=said):
        spec(PUBLISHED, **changes)


def test_speed_1_is_that_of_the_reference():
    demand = {
        "trace": "toy.csv",
        "column": "demand_ms",
        "unit": "ms",
        "measure": "demand-busy",
        "reference": "f2",
    }
    assert spec(demand=demand).rungs[0].speed_ppm == 500_000


def test_the_target_is_the_peak_unless_told():
    assert spec().target_powers_ppm == (102_000_000,)
    assert spec(server={"peak_power": 102, "target_power": 80}).target_powers_ppm == (80_000_000,)


def test_no_request_gets_more_threads_than_the_most():
    own = spec(server={"peak_power": 102, "max_threads": 1})
    assert {rung.threads for rung in own.rungs} == {1}


def test_the_peak_of_types_is_what_their_cores_draw():
    own = typed([(1, 1, 6), (2, 6.8, 2)])
    assert own.peak_power.ppm == 19_600_000
    assert own.target_powers_ppm == (19_600_000,)


def test_a_peak_below_what_cores_of_types_draw_is_refused():
    with pytest.raises(ValidationError, match=r"less than `19\.6`, the power of all busy cores"):
        typed([(1, 1, 6), (2, 6.8, 2)], server={"peak_power": 19.5})
    # More than that is no limit, nor a target.
    own = typed([(1, 1, 6), (2, 6.8, 2)], server={"peak_power": 30})
    assert own.target_powers_ppm == (19_600_000,)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lanes": None}, "`batch`, but `lanes`"),
        (ENERGY, "with `lanes` a rung costs only batch work"),
        ({"lanes": {"interference": "50%"}}, "gives no advantage: the slowdowns of both add"),
        ({"lanes": {"interference": "40%", "batch_slowdown": "60%"}}, "means that sharing a core"),
        ({"cores": {"dvfs": {"count": 102, "levels": [LEVEL]}}}, "needs cores of one type"),
    ],
)
def test_lanes_that_make_no_sense_are_refused(changes, said):
    own = {**BATCH, "lanes": {"interference": "33%"}}
    with pytest.raises(ValidationError, match=said):
        typed([(1, 1, 8)], **own | changes)


def test_an_override_asks_for_nothing_that_the_cores_do_not_have():
    with pytest.raises(TailcError, match="`batch`, but `lanes`"):
        spec(PUBLISHED).with_search({"objective": "batch"})
    with pytest.raises(TailcError, match="needs the method `simulation`"):
        spec(PUBLISHED).with_search({"objective": "rate"})


def test_batch_work_is_slowed_as_requests_are_unless_told():
    own = typed([(1, 1, 8)], **BATCH, lanes={"interference": "33%"})
    assert own.lanes is not None
    assert own.lanes.slowdown_ppm == 330_000
