"""Tail tables, shares and ladders of lanes that a reader must refuse, each for one thing."""

from __future__ import annotations

import json
from typing import Any

from changed import Change, changed
from policies import named_policies

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.artifact.seal import seal, unseal
from tailc.forms.tail_table import (
    LARGEST_BOUND_US,
    LARGEST_CYCLES,
    LARGEST_FREQUENCY_KHZ,
    LARGEST_TIME_NS,
)

PPM = 1_000_000
_WORD = 8


def damaged_tails() -> dict[str, tuple[str, bytes]]:
    """File name to the error it must give and its bytes."""
    documents = {
        name: encode_json(policy)
        for name, (_, policy) in named_policies().items()
        if policy.tail_table or policy.shares or name in ("lanes", "cores", "controller")
    }
    forms = {name: json.loads(document)["forms"] for name, document in documents.items()}
    in_json = {
        f"{file}.json": (error, changed(documents[name], change))
        for error, changes in (("bad-meaning", _meanings(forms)), ("bad-structure", _structures()))
        for name, by_file in changes.items()
        for file, change in by_file.items()
    }
    later = _in_form(form="tail-surface")
    return {
        **in_json,
        "tails-later-form.json": ("unknown-form", changed(documents["tails"], later)),
        "tails-level.tailc": ("bad-meaning", _with_number("tails", 3_400_000, 3_200_000)),
        "tails-falling.tailc": ("bad-meaning", _with_number("tails", 135_001, 104_999)),
        "shares-law.tailc": ("bad-meaning", _with_law(9)),
        "shares-cap-probe.tailc": ("bad-meaning", _with_number("shares-cap", 10, 0)),
    }


def _with_number(name: str, old: int, new: int) -> bytes:
    """The buffer with the one number `old` in it replaced."""
    payload = unseal(encode_flat(named_policies()[name][1]))
    before, after = (number.to_bytes(_WORD, "little") for number in (old, new))
    assert payload.count(before) == 1
    return seal(payload.replace(before, after))


def _with_law(number: int) -> bytes:
    """The buffer of shares with another number for its law."""
    payload = bytearray(unseal(encode_flat(named_policies()["shares"][1])))
    box = fbs.Policy.GetRootAs(bytes(payload)).Forms(0)
    form = box.Form()
    law = 4
    payload[form.Pos + form.Offset(law)] = number
    return seal(bytes(payload))


def _meanings(forms: dict[str, list[dict[str, Any]]]) -> dict[str, dict[str, Change]]:
    """Contradictions, by the vector that they are made in."""
    return {
        "tails-batch": _of_tables(),
        "tails-trim": {
            "tails-trim-output": _in_form(-1, most_ppm=2 * PPM + 1),
            "tails-trim-ages": _in_form(-1, acts_on="climb-ages", most_ppm=PPM),
            "tails-trim-first": lambda policy: policy["forms"].reverse(),
            "tails-trim-twice": lambda policy: policy["forms"].append(policy["forms"][-1]),
            "tails-trim-alone": lambda policy: policy["forms"].pop(0),
        },
        "controller": {
            "controller-bound": _in_form(-1, acts_on="latency-bound"),
            "controller-output": _in_form(-1, most_ppm=PPM + 1),
            "tails-beside-ladder": _put_first(forms["tails"]),
        },
        "tails": {
            "tails-twice": _put_first(forms["tails-batch"]),
            "tails-beside-shares": _put_first(forms["shares"]),
        },
        "shares": {
            **_of_shares(),
            "shares-twice": lambda policy: policy["forms"].append(policy["forms"][0]),
            "shares-controller": _put_last(forms["tails-trim"][-1:]),
        },
        "shares-cap": {
            "shares-cap-steps": _in_cap(steps=0),
            "shares-cap-many-steps": _in_cap(steps=PPM + 1),
            "shares-cap-probe": _in_cap(probe_steps=0),
            "shares-cap-late-probe": _in_cap(probe_steps=PPM + 1),
            "shares-cap-headroom": _in_cap(headroom_ppm=0),
            "shares-cap-much-headroom": _in_cap(headroom_ppm=10 * PPM + 1),
        },
        "lanes": {
            "lanes-two-ages": _in_form(rules=["age-from-arrival", "busy-period-age",
                                              "core-per-request"]),
            "lanes-without-cores": _on_threads,
        },
        "cores": {
            "lanes-of-kinds": _in_form(rules=["core-per-request", "waited-start-last"]),
        },
    }  # fmt: skip


def _of_tables() -> dict[str, Change]:
    """For two frequencies by batch work, four rows of cycles and two of memory time."""
    return {
        "tails-percentile": _in_form(percentile_ppm=PPM),
        "tails-bound": _in_form(bound_us=LARGEST_BOUND_US + 1),
        "tails-no-bound": _in_form(bound_us=0),
        "tails-no-cores": _in_form(cores=0),
        "tails-no-levels": _in_form(levels=[]),
        "tails-levels": lambda policy: policy["forms"][0]["levels"].reverse(),
        "tails-frequency": _in_part("levels", -1, frequency_khz=LARGEST_FREQUENCY_KHZ + 1),
        "tails-no-frequency": _in_part("levels", 0, frequency_khz=0),
        "tails-power": _in_part("levels", 0, power_mw=-1),
        "tails-no-rows": _in_form(cycles=[]),
        "tails-rows": _in_part("cycles", 2, from_elapsed=90_000),
        "tails-first-row": _in_part("memory_ns", 0, from_elapsed=1),
        "tails-negative-row": _in_part("cycles", 0, from_elapsed=-1),
        "tails-positions": _in_part("cycles", 1, left=[1, 2, 3]),
        "tails-other-positions": _in_form(memory_ns=[{"from_elapsed": 0, "left": [1, 2, 3]}]),
        "tails-no-positions": _in_form(cycles=[{"from_elapsed": 0, "left": []}]),
        "tails-falling": _in_part("cycles", 0, left=[2, 1, 3, 4]),
        "tails-negative": _in_part("memory_ns", 1, left=[-1, 1, 2, 3]),
        "tails-cycles": _in_part("cycles", 3, left=[0, 0, 0, LARGEST_CYCLES + 1]),
        "tails-sleep": _in_form(sleep={"power_mw": 0, "wake_ns": -1}),
        "tails-transition-halt": _in_form(transition={"halt_ns": -1, "energy_nj": 0}),
        "tails-transition-energy": _in_form(transition={"halt_ns": 0, "energy_nj": -1}),
        "tails-batch-least": _in_batch(least_khz=1_500_000),
        "tails-batch-frequency": _in_batch(frequency_khz=LARGEST_TIME_NS),
        "tails-batch-power": _in_batch(power_mw=-1),
        "tails-reference": _in_form(reference_khz=0),
    }


def _of_shares() -> dict[str, Change]:
    """For two machines with a target and one without."""
    return {
        "shares-law": _in_form(law="hopeful"),
        "shares-pole": _in_form(pole_ppm=PPM),
        "shares-window": _in_form(window_us=0),
        "shares-step": _in_form(step_us=750_001),
        "shares-no-step": _in_form(step_us=0),
        "shares-long-step": _in_form(estimate_us=1, step_us=1_000_001),
        "shares-forgetting": _in_form(forgetting_ppm=0),
        "shares-covariance": _in_form(first_covariance=1_000_001),
        "shares-least-b": _in_form(least_b_ppm=0),
        "shares-host": _in_form(host_ppm=PPM + 1),
        "shares-least": _in_form(least_ppm=PPM // 2 + 1),
        "shares-shortage": _in_form(shortage_steps=0),
        "shares-tolerance": _in_form(tolerance_ppm=0),
        "shares-no-target": _in_form(machines=[{"name": "x", "first_a_ppm": 0,
                                                "first_b_milli": 1}]),
        "shares-target": _in_part("machines", 0, target_milli=0),
        "shares-unstable": _in_part("machines", 0, first_a_ppm=PPM),
        "shares-no-b": _in_part("machines", 1, first_b_milli=0),
        "shares-name": _in_part("machines", 1, name=""),
        "shares-one-name": _in_part("machines", 1, name="encoder"),
    }  # fmt: skip


def _structures() -> dict[str, dict[str, Change]]:
    return {
        "tails-batch": {
            "tails-unknown": _in_form(colour=3),
            "tails-unknown-in-row": _in_part("cycles", 1, colour=3),
            "tails-unknown-in-level": _in_part("levels", 1, colour=3),
            "tails-unknown-in-batch": _in_batch(colour=3),
            "tails-unknown-in-transition": _in_form(
                transition={"halt_ns": 1, "energy_nj": 1, "colour": 3}
            ),
            "tails-missing": lambda policy: policy["forms"][0].pop("sleep"),
            "tails-null": _in_form(batch=None),
            "tails-text": _in_part("cycles", 1, left=["1", "2", "3", "4"]),
        },
        "shares": {
            "shares-unknown": _in_form(colour=3),
            "shares-unknown-in-machine": _in_part("machines", 0, colour=3),
            "shares-missing": lambda policy: policy["forms"][0].pop("law"),
            "shares-null": _in_part("machines", 0, target_milli=None),
        },
        "shares-cap": {
            "shares-cap-unknown": _in_cap(colour=3),
            "shares-cap-missing": lambda policy: policy["forms"][0]["cap"].pop("steps"),
            "shares-cap-null": _in_form(cap=None),
        },
    }


def _in_form(place: int = 0, **members: Any) -> Change:
    return lambda policy: policy["forms"][place].update(members)


def _on_threads(policy: dict[str, Any]) -> None:
    policy["forms"][0].update(rules=["busy-period-age", "waited-start-last"])
    del policy["forms"][0]["power"]


def _in_part(part: str, place: int, /, **members: Any) -> Change:
    return lambda policy: policy["forms"][0][part][place].update(members)


def _in_batch(**members: Any) -> Change:
    return lambda policy: policy["forms"][0]["batch"].update(members)


def _in_cap(**members: Any) -> Change:
    return lambda policy: policy["forms"][0]["cap"].update(members)


def _put_first(forms: list[dict[str, Any]]) -> Change:
    def change(policy: dict[str, Any]) -> None:
        policy["forms"][:0] = forms

    return change


def _put_last(forms: list[dict[str, Any]]) -> Change:
    return lambda policy: policy["forms"].extend(forms)
