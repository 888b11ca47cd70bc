from tailc.forms.ladder.lookup import LookupAnswer, Start, lookup
from tailc.forms.ladder.table import ON_EXIT, Climb, Row
from tailc.models.shared_cores.baselines.sequential import sequential
from tests.tailc.models.shared_cores.servers import at_once, ladder


def test_every_request_starts_at_once_and_stays_on_the_first_rung():
    policy = ladder(
        at_once((0, 3), last=5), Row(6, None, ON_EXIT, (Climb(0, 1), Climb(9, 2))), cores=4, boost=4
    )
    plain = sequential(policy)
    for load in (0, 1, 6, 1000):
        assert lookup(plain, load, 0, 10**9) == LookupAnswer(Start.NOW, 0, 0)
    assert plain.cost_units == policy.cost_units
    assert plain.boost is None
