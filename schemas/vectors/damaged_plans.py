"""Plans that a reader must refuse, each for one thing."""

from __future__ import annotations

import json
from typing import Any

from changed import Change, changed
from policies import named_policies

from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.artifact.seal import seal, unseal
from tailc.forms.plan.plan import LARGEST_UDOLLARS, LATEST_UNIX_S, MOST_SERVERS

PPM = 1_000_000
_WORD = 8


def damaged_plans() -> dict[str, tuple[str, bytes]]:
    """File name to the error it must give and its bytes."""
    documents = {
        name: encode_json(named_policies()[name][1])
        for name in ("plan", "plan-cluster", "plan-grid", "shares", "tails-trim")
    }
    other = {name: json.loads(document)["forms"] for name, document in documents.items()}
    in_json = {
        f"{file}.json": (error, changed(documents[name], change))
        for error, changes in (("bad-meaning", _meanings(other)), ("bad-structure", _structures()))
        for name, by_file in changes.items()
        for file, change in by_file.items()
    }
    return {**in_json, "plan-overbooked.tailc": ("bad-meaning", _with_servers(24, 21))}


def _with_servers(old: int, new: int) -> bytes:
    """The buffer of racks with the servers of the first pool replaced: one job there has more."""
    payload = unseal(encode_flat(named_policies()["plan"][1]))
    before, after = (number.to_bytes(_WORD, "little") for number in (old, new))
    assert payload.count(before) == 1
    return seal(payload.replace(before, after))


def _meanings(other: dict[str, list[dict[str, Any]]]) -> dict[str, dict[str, Change]]:
    return {
        "plan": {
            **_of_the_whole(),
            **_of_parts(),
            **_of_jobs(),
            "plan-beside-shares": lambda policy: policy["forms"].extend(other["shares"]),
            "plan-twice": lambda policy: policy["forms"].append(policy["forms"][0]),
            "plan-controller": lambda policy: policy["forms"].append(other["tails-trim"][-1]),
        },
        "plan-cluster": {
            "plan-promise-without-terms": _in_part("jobs", 0, green_slots=1),
            "plan-delay": _in_form(malleable={"delay_udollars": -1, "slowdown_ppm": PPM}),
            "plan-slowdown": _in_form(malleable={"delay_udollars": 0, "slowdown_ppm": PPM - 1}),
            "plan-racks-in-some": _in_part("pools", 0, racks=2),
        },
        "plan-grid": {
            "plan-grid-missing": lambda policy: policy["forms"][0].pop("grid_mw"),
            "plan-grid-small": _in_form(grid_mw=8 * 210_000 + 4 * 160_000 - 1),
            "plan-no-rule": _in_form(later_jobs=""),
        },
    }


def _of_the_whole() -> dict[str, Change]:
    """For 56 servers and 16 epochs of 15 minutes on two buses."""
    return {
        "plan-before-1970": _in_form(start_unix_s=-1),
        "plan-after-9999": _in_form(start_unix_s=LATEST_UNIX_S - 16 * 900 + 1),
        "plan-no-time": _in_form(epoch_s=0),
        "plan-no-pools": _in_form(pools=[], prices=[], jobs=[]),
        "plan-no-epochs": _in_form(epochs=[], prices=[{"udollars": []}] * 4, jobs=[]),
        "plan-worth": _too_dear,
        "plan-price-missing": _in_part("prices", 3, udollars=[0] * 15),
        "plan-prices-missing": lambda policy: policy["forms"][0]["prices"].pop(),
        "plan-no-terms": lambda policy: policy["forms"][0].pop("terms"),
        "plan-both-terms": _in_form(malleable={"delay_udollars": 0, "slowdown_ppm": PPM}),
        "plan-violations": _in_form(violations_ppm=PPM + 1),
        "plan-bus-in-some": lambda policy: policy["forms"][0]["epochs"][7].pop("first_green_pool"),
    }


def _of_parts() -> dict[str, Change]:
    return {
        "plan-pool-name": _in_part("pools", 0, name=""),
        "plan-one-pool-name": _in_part("pools", 0, name="rack 4"),
        "plan-no-servers": _in_part("pools", 3, servers=0),
        "plan-too-large": _in_part("pools", 1, servers=MOST_SERVERS),
        "plan-no-power": _in_part("pools", 1, busy_mw=0, asleep_mw=0),
        "plan-asleep": _in_part("pools", 1, asleep_mw=140_001),
        "plan-migration": _in_part("pools", 1, migration_mj=-1),
        "plan-racks": _in_part("pools", 0, racks=5),
        "plan-green-power": _in_part("epochs", 3, green_mw=-1),
        "plan-kwh-price": _in_part("epochs", 3, brown_udollars_per_kwh=-1),
        "plan-kwh-co2": _in_part("epochs", 3, brown_mg_per_kwh=-1),
        "plan-bus": _in_part("epochs", 3, first_green_pool=5),
        "plan-price": _in_part("prices", 3, udollars=[0] * 15 + [-1]),
        "plan-price-limit": _in_part("prices", 3, udollars=[0] * 15 + [LARGEST_UDOLLARS + 1]),
        "plan-penalty": _in_terms(penalty_udollars=-1),
        "plan-terms-limit": _in_terms(green_udollars=LARGEST_UDOLLARS + 1),
    }


def _of_jobs() -> dict[str, Change]:
    """The second job has pools 1 and 3, four servers each, in epochs 2 to 15."""
    return {
        "plan-overbooked": lambda policy: policy["forms"][0]["jobs"][2]["spans"][0].update(
            servers=15
        ),
        "plan-span-outside": _in_span(epochs=15),
        "plan-span-pool": _in_span(place=1, pool=4),
        "plan-span-early": _in_span(first_epoch=-1),
        "plan-span-empty": _in_span(servers=0),
        "plan-span-none": _in_span(epochs=0),
        "plan-span-wide": _in_span(place=1, servers=9),
        "plan-span-order": lambda policy: policy["forms"][0]["jobs"][1]["spans"].reverse(),
        "plan-span-twice": _in_span(place=1, pool=1, servers=1),
        "plan-no-spans": _in_part("jobs", 1, spans=[], green_slots=0),
        "plan-job-name": _in_part("jobs", 1, name=""),
        "plan-one-job-name": _in_part("jobs", 1, name="morning-batch"),
        "plan-promise": _in_part("jobs", 1, green_slots=113),
        "plan-negative-promise": _in_part("jobs", 1, green_slots=-1),
    }


def _structures() -> dict[str, dict[str, Change]]:
    return {
        "plan": {
            "plan-unknown": _in_form(colour=3),
            "plan-unknown-in-pool": _in_part("pools", 1, colour=3),
            "plan-unknown-in-epoch": _in_part("epochs", 1, colour=3),
            "plan-unknown-in-job": _in_part("jobs", 1, colour=3),
            "plan-unknown-in-span": _in_span(colour=3),
            "plan-unknown-in-prices": _in_part("prices", 1, colour=3),
            "plan-unknown-in-terms": _in_terms(colour=3),
            "plan-missing": lambda policy: policy["forms"][0].pop("violations_ppm"),
            "plan-null": _in_part("pools", 0, racks=None),
            "plan-text": _in_part("prices", 1, udollars=["1"] * 16),
        },
        "plan-cluster": {
            "plan-unknown-in-malleable": _in_form(
                malleable={"delay_udollars": 0, "slowdown_ppm": PPM, "colour": 3}
            ),
        },
    }


def _too_dear(policy: dict[str, Any]) -> None:
    """2^20 servers in 32 epochs at 2^28 are worth 2^53."""
    plan = policy["forms"][0]
    plan["pools"][0].update(servers=MOST_SERVERS - 32, racks=1)
    plan["epochs"] += plan["epochs"]
    plan["prices"] = [{"udollars": [LARGEST_UDOLLARS] * 32}] * 4


def _in_form(**members: Any) -> Change:
    return lambda policy: policy["forms"][0].update(members)


def _in_part(part: str, place: int, /, **members: Any) -> Change:
    return lambda policy: policy["forms"][0][part][place].update(members)


def _in_terms(**members: Any) -> Change:
    return lambda policy: policy["forms"][0]["terms"].update(members)


def _in_span(place: int = 0, **members: Any) -> Change:
    return lambda policy: policy["forms"][0]["jobs"][1]["spans"][place].update(members)
