"""A small policy, for tests that need one and do not care which."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import rfc8785

from tailc.artifact.envelope import Policy
from tailc.artifact.files import read_policy
from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import AT_ONCE, Rule

ROOT = Path(__file__).resolve().parents[3]
VECTORS = ROOT / "schemas" / "vectors" / "v1"


def small_policy() -> Policy:
    return read_policy(VECTORS / "classes.json")


def lucene_policy() -> Policy:
    return read_policy(VECTORS / "lucene.json")


def controlled_policy() -> Policy:
    """Two ladders of cores and a controller."""
    return read_policy(VECTORS / "controller.json")


def policy_of(name: str) -> Policy:
    """The vector called so."""
    return read_policy(VECTORS / f"{name}.json")


def sharing_policy(told: Sharing) -> Policy:
    """The published table with what the rules start-below and give-up need, and at-once rows."""
    policy = lucene_policy()
    (ladder,) = policy.ladders
    rules = sorted((*ladder.rules, Rule.START_BELOW, Rule.GIVE_UP), key=lambda rule: rule.value)
    rows = tuple(replace(row, admission=AT_ONCE) for row in ladder.rows)
    shared = replace(ladder, rules=tuple(rules), rows=rows, sharing=told)
    return replace(policy, forms=(shared,))


def tail_policy() -> Policy:
    """A tail table and a controller of its bound."""
    return read_policy(VECTORS / "tails-trim.json")


def shares_policy() -> Policy:
    """Shares of a host for three machines, one of them without a target."""
    return read_policy(VECTORS / "shares.json")


def plan_policy() -> Policy:
    """A plan for racks on two buses."""
    return read_policy(VECTORS / "plan.json")


def changed_json(
    change: Callable[[dict[str, Any]], object], signed: bool = True, name: str = "lucene"
) -> bytes:
    """The vector `name` after `change`, canonical, with the digest it should then have."""
    import hashlib

    document = json.loads((VECTORS / f"{name}.json").read_bytes())
    change(document)
    if signed:
        document.pop("policy_digest")
        document["policy_digest"] = hashlib.sha256(rfc8785.dumps(document)).hexdigest()
    return rfc8785.dumps(document)
