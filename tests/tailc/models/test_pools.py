import dataclasses

import pytest

from tailc.errors import Code, TailcError
from tailc.forms.ladder.table import Boost, CostUnit, Ladder, Rule, Rung
from tailc.models.pools import NEVER_NS, pools
from tests.tailc.models.shared_cores.servers import PPM, at_once, ladder


def on_units(*costs: tuple[int, ...], units: tuple[CostUnit, ...]) -> Ladder:
    """A ladder whose rungs cost that many whole units of each kind."""
    rungs = tuple(
        Rung(f"r{i}", (i + 1) * PPM, tuple(c * PPM for c in cost)) for i, cost in enumerate(costs)
    )
    return dataclasses.replace(ladder(at_once((0, 0)), rungs=1), rungs=rungs, cost_units=units)


LITTLE, BIG = CostUnit("little cores", 4 * PPM), CostUnit("big cores", 2 * PPM)
WATTS = CostUnit("watts")


def test_each_rung_draws_on_the_limited_unit_that_it_costs():
    found = pools(on_units((1, 0, 3), (0, 1, 9), (0, 2, 12), units=(LITTLE, BIG, WATTS)))
    assert found.capacity_ppm.tolist() == [4 * PPM, 2 * PPM]
    assert found.pool_of.tolist() == [0, 1, 1]
    assert found.cost_ppm.tolist() == [PPM, PPM, 2 * PPM]


def test_without_a_limited_unit_rungs_count_by_the_first_unit_and_share_nothing():
    found = pools(on_units((1,), (3,), units=(CostUnit("threads"),)))
    assert found.capacity_ppm.tolist() == [NEVER_NS]
    assert found.cost_ppm.tolist() == [PPM, 3 * PPM]


def test_a_rung_that_takes_nothing_limited_shares_nothing():
    found = pools(on_units((1, 5), (0, 7), units=(BIG, WATTS)))
    assert found.capacity_ppm.tolist() == [2 * PPM, NEVER_NS]
    assert found.pool_of.tolist() == [0, 1]


def test_a_rung_in_two_pools_is_refused():
    with pytest.raises(TailcError, match="`little cores`, `big cores`") as raised:
        pools(on_units((1, 1), units=(LITTLE, BIG)))
    assert raised.value.findings[0].code is Code.METHOD_UNFIT


def test_boosting_counts_in_the_pool_of_the_last_rung():
    policy = on_units((1, 0), (0, 1), units=(LITTLE, BIG))
    rules = (Rule.BOOST_LAST_RUNG,)
    good = dataclasses.replace(policy, rules=rules, boost=Boost(1, PPM))
    assert pools(good).boost_pool == 1
    with pytest.raises(TailcError, match="boosting counts `little cores`"):
        pools(dataclasses.replace(good, boost=Boost(0, PPM)))
