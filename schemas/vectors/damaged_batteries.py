"""Batteries of plans that a reader must refuse, each for one thing."""

from __future__ import annotations

import json
from typing import Any

from batteries import LARGEST
from changed import Change, changed
from policies import named_policies

from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.artifact.seal import seal, unseal

PPM = 1_000_000
_NAME = "plan-battery"
_WORD = 8


def damaged_batteries() -> dict[str, tuple[str, bytes]]:
    """File name to the error it must give and its bytes."""
    document = encode_json(named_policies()[_NAME][1])
    plan = json.loads(document)["forms"][0]
    by_error = {"bad-meaning": _meanings(plan), "bad-structure": _structures()}
    in_json = {
        f"plan-battery-{file}.json": (error, changed(document, change))
        for error, changes in by_error.items()
        for file, change in changes.items()
    }
    return {**in_json, "plan-battery-overfull.tailc": ("bad-meaning", _with_less_capacity(plan))}


def _with_less_capacity(plan: dict[str, Any]) -> bytes:
    """The buffer with a capacity of what is stored at first, which is charged further."""
    payload = unseal(encode_flat(named_policies()[_NAME][1]))
    battery = plan["battery"]
    before, after = (
        battery[name].to_bytes(_WORD, "little") for name in ("capacity_mj", "first_mj")
    )
    assert payload.count(before) == 1
    return seal(payload.replace(before, after))


def _meanings(plan: dict[str, Any]) -> dict[str, Change]:
    """It is charged in epochs 3 to 8, to the full in the last of these, and gives from 9 on."""
    flows = [epoch["battery_mj"] for epoch in plan["epochs"]]
    first = next(number for number, flow in enumerate(flows) if flow > 0)
    gives = max(number for number, flow in enumerate(flows) if flow < 0)
    return {
        "none": lambda policy: policy["forms"][0].pop("battery"),
        "in-some": lambda policy: policy["forms"][0]["epochs"][5].pop("battery_mj"),
        "capacity": _in_battery(capacity_mj=0),
        "charge": _in_battery(charge_mw=0),
        "discharge": _in_battery(discharge_mw=0),
        "keeps-nothing": _in_battery(kept_ppm=0),
        "keeps-more": _in_battery(kept_ppm=PPM + 1),
        "owing": _in_battery(first_mj=-1),
        "first-overfull": _in_battery(first_mj=plan["battery"]["capacity_mj"] + 1),
        "overfull": _in_battery(capacity_mj=plan["battery"]["first_mj"]),
        "overdrawn": _in_battery(first_mj=0),
        "charge-limit": _in_battery(charge_mw=max(flows) // plan["epoch_s"] - 1),
        "discharge-limit": _in_battery(discharge_mw=-min(flows) // plan["epoch_s"] - 1),
        "beyond-green": _in_epoch(first, green_mw=flows[first] // plan["epoch_s"]),
        "beyond-brown": _in_epoch(gives, green_mw=plan["pools"][0]["busy_mw"] * 12),
        "charged-from-brown": _in_epoch(gives, battery_mj=1),
        "given-to-green": _in_epoch(first, battery_mj=-1),
        "large-energy": _in_epoch(0, green_mw=LARGEST // plan["epoch_s"] + 1),
        "large-power": _in_battery(charge_mw=LARGEST // plan["epoch_s"] + 1),
        "large-moves": lambda policy: policy["forms"][0]["pools"][0].update(migration_mj=2**50),
    }


def _structures() -> dict[str, Change]:
    return {
        "unknown": _in_battery(colour=3),
        "missing": lambda policy: policy["forms"][0]["battery"].pop("kept_ppm"),
        "null": _in_epoch(2, battery_mj=None),
        "text": _in_battery(first_mj="1"),
    }


def _in_battery(**members: Any) -> Change:
    return lambda policy: policy["forms"][0]["battery"].update(members)


def _in_epoch(place: int, **members: Any) -> Change:
    return lambda policy: policy["forms"][0]["epochs"][place].update(members)
