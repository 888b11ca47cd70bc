"""Tables that do as one table at low loads and as another at high loads."""

from __future__ import annotations

from tailc.models.shared_cores.baselines.fixed import fixed
from tailc.pipeline.auto.joined import joined, joined_at_loads
from tests.tailc.models.shared_cores.servers import at_once, ladder

LOW = ladder(
    at_once((0, 3), first=1, last=2),
    at_once((0, 1), (20, 3), first=3, last=6),
    at_once((0, 0), first=7),
    cores=4,
)


def what(table, load):
    (row,) = (r for r in table.rows if r.first_load <= load <= (r.last_load or load))
    return row.admission, row.climbs


def test_up_to_a_load_it_is_the_first_and_beyond_the_second():
    high = fixed(LOW, 1)
    for last_load in range(1, 10):
        table = joined(LOW, high, last_load)
        for load in range(1, 12):
            assert what(table, load) == what(LOW if load <= last_load else high, load)


def test_rules_and_rungs_are_those_of_the_first():
    table = joined(LOW, fixed(LOW, 1), 4)
    assert (table.rules, table.rungs) == (LOW.rules, LOW.rungs)


def test_joins_lie_about_the_number_of_cores():
    tables = list(joined_at_loads(LOW, fixed(LOW, 1), 4))
    assert [table.rows[-1].first_load - 1 for table in tables] == [1, 2, 3, 4, 5]
