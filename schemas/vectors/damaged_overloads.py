"""Ladders with rules for overload that a reader must refuse, each for one thing."""

from __future__ import annotations

import copy
from typing import Any

from changed import Change, changed
from policies import named_policies

from tailc.artifact.envelope import Policy
from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.forms.ladder.overload import Overload
from tailc.forms.ladder.table import Rule

_PPM = 1_000_000


def damaged_overloads() -> dict[str, tuple[str, bytes]]:
    """File name to the error it must give and its bytes."""
    policy = named_policies()["overload"][1]
    document = encode_json(policy)
    in_json = {
        f"overload-{name}.json": (error, changed(document, change))
        for name, (error, change) in _changes().items()
    }
    in_flat = {
        f"overload-{name}.tailc": ("bad-meaning", _broken(policy, members))
        for name, members in _BROKEN.items()
    }
    return {
        **in_json,
        **in_flat,
        "overload-without.tailc": ("bad-meaning", _broken(policy, None)),
        "overload-no-rule.tailc": ("bad-meaning", _without_rules(policy)),
    }


_BROKEN: dict[str, dict[str, int | None]] = {
    "sheds-all": {"shed_from": 0},
    "no-time": {"cut_off_us": 0},
    "no-work": {"work_ppm": 0},
    "all-work": {"work_ppm": _PPM},
    "no-share": {"work_ppm": None},
    "no-load": {"degrade_from": None},
    "negative": {"degrade_from": -1},
    "refused-first": {"degrade_from": 61},
    "no-shedding": {"shed_from": None},
    "no-cut-off": {"cut_off_us": None},
}


def _changes() -> dict[str, tuple[str, Change]]:
    found = {name: ("bad-meaning", _with(members)) for name, members in _BROKEN.items()}
    return {
        **found,
        "without": ("bad-meaning", lambda policy: policy["forms"][0].pop("overload")),
        "no-rule": ("bad-meaning", _no_rule),
        "empty": ("bad-meaning", _empty),
        "unknown": ("bad-structure", _with({"colour": 1})),
        "text": ("bad-structure", _with_text),
    }


def _with(members: dict[str, int | None]) -> Change:
    def change(policy: dict[str, Any]) -> None:
        told = policy["forms"][0]["overload"]
        told.update(members)
        for name in [name for name, value in members.items() if value is None]:
            del told[name]

    return change


def _with_text(policy: dict[str, Any]) -> None:
    policy["forms"][0]["overload"]["shed_from"] = "61"


def _no_rule(policy: dict[str, Any]) -> None:
    rules = policy["forms"][0]["rules"]
    policy["forms"][0]["rules"] = [rule for rule in rules if rule != "degrade"]


def _empty(policy: dict[str, Any]) -> None:
    """Nothing is said, and no rule asks for it."""
    policy["forms"][0]["overload"] = {}
    policy["forms"][0]["rules"] = []
    del policy["forms"][0]["boost"]


def _broken(policy: Policy, members: dict[str, int | None] | None) -> bytes:
    """What no constructor would let pass, with some members of what is said of overload changed."""
    found = copy.deepcopy(policy)
    (ladder,) = found.ladders
    if members is None:
        object.__setattr__(ladder, "overload", None)
    for name, value in (members or {}).items():
        object.__setattr__(ladder.overload, name, value)
    return encode_flat(found)


def _without_rules(policy: Policy) -> bytes:
    found = copy.deepcopy(policy)
    (ladder,) = found.ladders
    rules = tuple(rule for rule in ladder.rules if rule is not Rule.SHED)
    assert isinstance(ladder.overload, Overload)
    object.__setattr__(ladder, "rules", rules)
    return encode_flat(found)
