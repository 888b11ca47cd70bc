"""Ladders with rules for overload behind the vectors of schema 1.6."""

from __future__ import annotations

from dataclasses import replace

from ladders import PPM, all_ladder, arrival_ladder, lucene_ladder, short_ladder

from tailc.forms.ladder.overload import Overload
from tailc.forms.ladder.table import Ladder, Rule


def overloaded(ladder: Ladder, overload: Overload, *rules: Rule) -> Ladder:
    """The ladder with what is said of overload, and the rules for it."""
    sorted_rules = sorted((*ladder.rules, *rules), key=lambda rule: rule.value)
    return replace(ladder, rules=tuple(sorted_rules), overload=overload)


def overload_ladder() -> Ladder:
    """All three rules on the published table."""
    told = Overload(shed_from=61, cut_off_us=800_123, degrade_from=40, work_ppm=600_001)
    return overloaded(lucene_ladder(), told, Rule.CUT_OFF, Rule.DEGRADE, Rule.SHED)


def late_cut_ladder() -> Ladder:
    """Ages count from arrival, and so does the cut-off."""
    return overloaded(arrival_ladder(), Overload(cut_off_us=90_000), Rule.CUT_OFF)


def shedding_ladder() -> Ladder:
    """For all but class `short`: every number at a limit."""
    told = Overload(shed_from=2**53 - 1, degrade_from=2**53 - 2, work_ppm=PPM - 1)
    return overloaded(all_ladder(), told, Rule.DEGRADE, Rule.SHED)


def short_degraded_ladder() -> Ladder:
    """For class `short`: every number at the other limit."""
    told = Overload(cut_off_us=1, degrade_from=0, work_ppm=1)
    return overloaded(short_ladder(), told, Rule.CUT_OFF, Rule.DEGRADE)
