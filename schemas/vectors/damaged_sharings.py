"""Ladders with rules for sharing that a reader must refuse, each for one thing."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

from changed import Change, changed
from cores import core_ladder
from policies import named_policies

from tailc.artifact.envelope import Policy
from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import ON_EXIT, Ladder, Rule


def damaged_sharings() -> dict[str, tuple[str, bytes]]:
    """File name to the error it must give and its bytes."""
    policy = named_policies()["sharing"][1]
    document = encode_json(policy)
    in_json = {
        f"sharing-{name}.json": (error, changed(document, change))
        for name, (error, change) in _changes().items()
    }
    in_flat = {
        f"sharing-{name}.tailc": ("bad-meaning", _broken(policy, members))
        for name, members in _BROKEN.items()
    }
    (ladder,) = policy.ladders
    no_rule = tuple(rule for rule in ladder.rules if rule is not Rule.GIVE_UP)
    first, *others = ladder.rows
    waits = (*others[:-1], replace(others[-1], admission=ON_EXIT))
    return {
        **in_json,
        **in_flat,
        "sharing-without.tailc": ("bad-meaning", _forced(policy, ladder, sharing=None)),
        "sharing-no-rule.tailc": ("bad-meaning", _forced(policy, ladder, rules=no_rule)),
        "sharing-waits.tailc": ("bad-meaning", _forced(policy, ladder, rows=(first, *waits))),
        "sharing-cores.tailc": ("bad-meaning", _with_cores(policy)),
    }


_BROKEN: dict[str, dict[str, int | None]] = {
    "no-unit": {"start_unit": None},
    "negative-unit": {"start_unit": -1},
    "other-unit": {"start_unit": 1},
    "starts-nobody": {"start_below_ppm": 0},
    "no-limit": {"start_below_ppm": None},
    "no-time": {"give_up_us": 0},
    "no-give-up": {"give_up_us": None},
}


def _changes() -> dict[str, tuple[str, Change]]:
    found = {name: ("bad-meaning", _with(members)) for name, members in _BROKEN.items()}
    return {
        **found,
        "without": ("bad-meaning", lambda policy: policy["forms"][0].pop("sharing")),
        "no-rule": ("bad-meaning", lambda policy: policy["forms"][0]["rules"].remove("give-up")),
        "empty": ("bad-meaning", _empty),
        "unknown": ("bad-structure", _with({"colour": 1})),
        "text": ("bad-structure", _with_text),
    }


def _with(members: dict[str, int | None]) -> Change:
    def change(policy: dict[str, Any]) -> None:
        told = policy["forms"][0]["sharing"]
        told.update(members)
        for name in [name for name, value in members.items() if value is None]:
            del told[name]

    return change


def _with_text(policy: dict[str, Any]) -> None:
    policy["forms"][0]["sharing"]["give_up_us"] = "325001"


def _empty(policy: dict[str, Any]) -> None:
    """Nothing is said, and no rule asks for it."""
    policy["forms"][0]["sharing"] = {}
    policy["forms"][0]["rules"] = []
    del policy["forms"][0]["boost"]


def _broken(policy: Policy, members: dict[str, int | None]) -> bytes:
    """What no constructor would let pass, with some members of what is said of sharing changed."""
    found = copy.deepcopy(policy)
    (ladder,) = found.ladders
    for name, value in members.items():
        object.__setattr__(ladder.sharing, name, value)
    return encode_flat(found)


def _with_cores(policy: Policy) -> bytes:
    ladder = core_ladder()
    rules = sorted((*ladder.rules, Rule.GIVE_UP), key=lambda rule: rule.value)
    return _forced(policy, ladder, rules=tuple(rules), sharing=Sharing(give_up_us=1))


def _forced(policy: Policy, ladder: Ladder, **members: object) -> bytes:
    """The policy with this ladder, some members of which no constructor would let pass."""
    found = copy.deepcopy(ladder)
    for name, value in members.items():
        object.__setattr__(found, name, value)
    return encode_flat(replace(policy, forms=(found,)))
