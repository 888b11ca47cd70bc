"""Files in JSON that are no states of plans, for every reader of JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STATES = Path(__file__).parents[2] / "schemas" / "vectors" / "v1" / "states"
_JOB = {"name": "a", "servers": [0], "begun_unix_s": 0}
_CHANGES: tuple[dict[str, Any], ...] = (
    {"kind": "plan"},
    {"version": 2},
    {"unknown": 1},
    {"servers": "12"},
    {"asleep": [1]},
    {"battery_mj": True},
    {"battery_mj": 2**53},
    {"waiting": [""]},
    {"waiting": ["\ud800"]},
    {"running": 1},
    {"running": [None]},
    {"running": [_JOB | {"more": 1}]},
    {"running": [_JOB | {"name": ""}]},
    {"running": [_JOB | {"name": "\ud800"}]},
    {"running": [_JOB | {"green_slots": 2**53}]},
    {"running": [_JOB | {"machines": 2**70}]},
    {"running": [_JOB | {"ran_s": None}]},
    {"running": [_JOB | {"ran_s": [{"servers": 1, "seconds": 253_402_300_800}]}]},
    {"running": [_JOB | {"ran_s": [{"servers": 1, "seconds": 1, "more": 1}]}]},
)
NO_OBJECTS = (b"", b"[]", b"{", b"\xff" * 9)


def no_states() -> list[bytes]:
    """The state `every` with one change each."""
    document = json.loads((STATES / "every.json").read_text())
    changed = [
        {key: document[key] for key in document if key != "asleep" or "running" not in change}
        | change
        for change in _CHANGES
    ]
    return [json.dumps(one).encode() for one in changed]


def least_state() -> bytes:
    """A state without lists and numbers that may be absent."""
    document = {"kind": "plan-state", "version": 1, "at_unix_s": 1, "decided_unix_s": 1}
    document |= {"servers": 2, "running": [{"name": "a", "servers": [1], "begun_unix_s": 0}]}
    return json.dumps(document).encode()
