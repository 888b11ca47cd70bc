"""Ladders of cores and controllers in words."""

from __future__ import annotations

from dataclasses import replace

from tailc.forms.ladder.table import Climb, Rule
from tailc.report.policy import policy_text
from tailc.report.steering import climbs_text, controller_text, cores_text
from tests.tailc.artifact.published import controlled_policy, lucene_policy

POLICY = controlled_policy()
CORES = POLICY.ladders[0]


def test_cores_are_told_rung_by_rung():
    assert cores_text(CORES, " [W]").splitlines() == [
        "rung    on cores  speed  power [W]  when free     move",
        "slow    7 slow        1          1       0.05  at once",
        "medium  2 medium   1.59        3.5       0.17   500 us",
        "fast    2 fast        2        6.8       0.34   500 us",
        "a core for each request; if all cores of a type are in use, the oldest climb early",
    ]


def test_only_under_its_rule_do_the_oldest_make_room():
    alone = replace(CORES, rules=(Rule.CORE_PER_REQUEST,))
    assert cores_text(alone, "").splitlines()[-1] == "a core for each request"


def test_rows_that_are_read_again_are_told_as_such():
    again = replace(CORES, rules=(Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND, Rule.REREAD_ROW))
    told = "its row follows the current number in the system"
    assert cores_text(again, "").splitlines()[-1] == f"a core for each request; {told}"


def test_rungs_that_are_no_cores_are_not_told_as_such():
    assert cores_text(lucene_policy().ladders[0], "") == ""


def test_a_controller_is_told_in_units_of_people():
    """A ki of 0.49 ms of threshold by ms of error is 0.4495 % of 109 ms."""
    assert POLICY.controller
    assert controller_text(POLICY.controller).splitlines() == [
        "controller  p99 of the last 2,000 requests to 200 ms, a step every 500 requests",
        "scales      the ages above, by 100 % at first, then 5.0001 % to 100 %",
        "arrivals       kp [%/ms]  ki [%/ms]  kd [%/ms]",
        "from 0/s          0.1009     0.4495          0",
        "from 50/s         0.1376     0.2294          0",
        "from 70.001/s     0.1743      0.156    0.02752",
    ]


def test_climbs_are_told_by_the_names_of_rungs():
    assert climbs_text((Climb(0, 0), Climb(109_000, 2)), CORES) == "slow, fast from 109 ms"


def test_names_of_rungs_and_cores_cannot_forge_lines():
    forged = "slow\nwrote build/x.tailc\x1b[1A"
    rungs = tuple(replace(rung, name=forged) for rung in CORES.rungs)
    units = tuple(replace(unit, name=forged) for unit in CORES.cost_units)
    text = cores_text(replace(CORES, rungs=rungs, cost_units=units), "")
    assert len(text.splitlines()) == len(CORES.rungs) + 2
    assert "\x1b" not in text


def test_a_policy_in_words_holds_its_rows_cores_and_controller():
    text = policy_text(POLICY)
    assert POLICY.controller
    for ladder in POLICY.ladders:
        assert cores_text(ladder, "") in text
    assert text.endswith(controller_text(POLICY.controller))
    assert "slow, medium from 60.001 ms, fast from 109 ms" in text
