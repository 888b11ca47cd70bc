"""Ladders with rules for sharing behind the vectors of schema 1.6."""

from __future__ import annotations

from dataclasses import replace

from ladders import PPM, all_ladder, arrival_ladder, lucene_ladder, rate_ladder, short_ladder

from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import AT_ONCE, Ladder, Rule

_START, _GIVE_UP = Rule.START_BELOW, Rule.GIVE_UP


def sharing(ladder: Ladder, told: Sharing, *rules: Rule) -> Ladder:
    """The ladder with what is said of sharing, and the rules for it."""
    sorted_rules = sorted((*ladder.rules, *rules), key=lambda rule: rule.value)
    return replace(ladder, rules=tuple(sorted_rules), sharing=told)


def sharing_ladder() -> Ladder:
    """Both rules on the published table, whose rows make nobody wait."""
    return sharing(_at_once(lucene_ladder()), Sharing(0, 8 * PPM, 325_001), _START, _GIVE_UP)


def late_sharing_ladder() -> Ladder:
    """Ages count from arrival, and so does the one of giving up; rows make requests wait."""
    return sharing(arrival_ladder(), Sharing(give_up_us=90_000), _GIVE_UP)


def watched_power_ladder() -> Ladder:
    """Starts alone, by the second cost unit."""
    return sharing(_at_once(rate_ladder()), Sharing(1, 94_999_999), _START)


def largest_sharing_ladder() -> Ladder:
    """For all but class `short`: every number at a limit."""
    told = Sharing(0, 2**53 - 1, 2**53 - 1)
    return sharing(_at_once(all_ladder()), told, _START, _GIVE_UP)


def least_sharing_ladder() -> Ladder:
    """For class `short`: every number at the other limit."""
    return sharing(_at_once(short_ladder()), Sharing(0, 1, 1), _START, _GIVE_UP)


def _at_once(ladder: Ladder) -> Ladder:
    return replace(ladder, rows=tuple(replace(row, admission=AT_ONCE) for row in ladder.rows))
