"""Rungs with settings that a reader must refuse, each for one thing."""

from __future__ import annotations

from typing import Any

from changed import Change, changed
from policies import named_policies

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.artifact.seal import seal, unseal

_ALL = 5
"""Number of the rung with all settings."""
_SPEED, _THREADS, _FREQUENCY, _LANE, _ONE_THREAD = 1, 4, 5, 7, 8
"""Ids of fields of a rung in schemas/policy.fbs."""
_FIRST_SLOT, _SLOT = 4, 2


def damaged_settings() -> dict[str, tuple[str, bytes]]:
    """File name to the error it must give and its bytes."""
    document = encode_json(named_policies()["settings-every"][1])
    in_json = {
        f"settings-{name}.json": ("bad-meaning", changed(document, change))
        for name, change in _changes().items()
    }
    return {
        **in_json,
        "settings-number.json": ("bad-structure", changed(document, _in_rung(core_type=1))),
        "settings-speed.tailc": ("bad-meaning", _with_field(_SPEED, 8, 0)),
        "settings-threads.tailc": ("bad-meaning", _with_field(_THREADS, 8, 0)),
        "settings-frequency.tailc": ("bad-meaning", _with_field(_FREQUENCY, 8, -1)),
        "settings-one-thread.tailc": ("bad-meaning", _with_field(_ONE_THREAD, 8, 0)),
        "settings-lane.tailc": ("bad-meaning", _with_field(_LANE, 1, 3)),
        "settings-no-lane.tailc": ("bad-meaning", _with_field(_LANE, 1, 0)),
    }


def _changes() -> dict[str, Change]:
    return {
        "speed": _in_rung(speed_ppm=0),
        "cost": _in_rung(cost_ppm=[-1]),
        "threads": _in_rung(threads=0),
        "frequency": _in_rung(frequency_khz=-1),
        "one-thread": _in_rung(one_thread_ppm=0),
        "core-type": _in_rung(core_type=""),
        "lane": _in_rung(lane="left"),
    }


def _in_rung(**members: Any) -> Change:
    return lambda policy: policy["forms"][0]["rungs"][_ALL].update(members)


def _with_field(field: int, size: int, number: int) -> bytes:
    """The buffer with a number in the place of a field of that size."""
    payload = bytearray(unseal(encode_flat(named_policies()["settings-every"][1])))
    form, ladder = fbs.Policy.GetRootAs(payload).Forms(0).Form(), fbs.Ladder()
    ladder.Init(form.Bytes, form.Pos)
    table = ladder.Rungs(_ALL)._tab
    at = table.Pos + table.Offset(_FIRST_SLOT + _SLOT * field)
    payload[at : at + size] = number.to_bytes(size, "little", signed=True)
    return seal(bytes(payload))
