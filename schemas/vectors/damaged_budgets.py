"""Budget tables that a reader must refuse, each for one thing."""

from __future__ import annotations

import json
from typing import Any

from changed import Change, changed
from policies import named_policies

from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.artifact.seal import seal, unseal
from tailc.forms.step_times import LARGEST_AMOUNT, LARGEST_NS

Place = tuple[str | int, ...]
_WORD = 8
_STEP: Place = ("engine", "step")
_PROMPT: Place = (*_STEP, "prompt")


def damaged_budgets() -> dict[str, tuple[str, bytes]]:
    """File name to the error it must give and its bytes."""
    document = encode_json(named_policies()["budgets"][1])
    trim = json.loads(encode_json(named_policies()["tails-trim"][1]))["forms"][-1]
    refused: dict[str, tuple[str, Change]] = {
        **{name: ("bad-meaning", _set(*change)) for name, change in _meanings().items()},
        "twice": ("bad-meaning", lambda policy: policy["forms"].append(policy["forms"][0])),
        "controller": ("bad-meaning", lambda policy: policy["forms"].append(trim)),
        "no-engine": ("bad-structure", lambda policy: policy["forms"][0].pop("engine")),
        "unknown": ("bad-structure", _set(("engine", "colour"), 3)),
        "text": ("bad-structure", _set(("rows", 0, "budgets"), ["many"])),
        "later-form": ("unknown-form", _set(("form",), "budget-surface")),
    }
    in_json = {
        f"budgets-{name}.json": (error, changed(document, change))
        for name, (error, change) in refused.items()
    }
    in_flat = {
        f"budgets-{name}.tailc": ("bad-meaning", _with_number(old, new))
        for name, (old, new) in _NUMBERS.items()
    }
    return {**in_json, **in_flat}


def _meanings() -> dict[str, tuple[Place, Any]]:
    """A place in the form, and the value there that contradicts the others."""
    return {
        "no-columns": (("first_waiting",), []),
        "first-column": (("first_waiting", 0), 1),
        "columns": (("first_waiting", 2), 1_024),
        "late-column": (("first_waiting", 2), LARGEST_AMOUNT + 1),
        "no-rows": (("rows",), []),
        "first-row": (("rows", 0, "first_decoding"), 1),
        "rows": (("rows", 2, "first_decoding"), 1),
        "late-row": (("rows", 3, "first_decoding"), LARGEST_AMOUNT + 1),
        "few-budgets": (("rows", 1, "budgets"), [1, 2]),
        "negative": (("rows", 1, "budgets", 0), -1),
        "large": (("rows", 1, "budgets", 0), LARGEST_AMOUNT + 1),
        "negative-starts": (("rows", 1, "new_sequences"), -1),
        "idle": (("rows", 0, "budgets", 1), 0),
        "no-starts": (("rows", 0, "new_sequences"), 0),
        "no-blocks": (("engine", "kv_blocks"), 0),
        "cache": (("engine", "block_tokens"), LARGEST_AMOUNT),
        "sequences": (("engine", "max_sequences"), LARGEST_AMOUNT + 1),
        "no-time": ((*_STEP, "fixed_ns"), 0),
        "time": ((*_STEP, "fixed_ns"), LARGEST_NS + 1),
        "one-knot": (_PROMPT, {"knots": [0], "time_ns": [0]}),
        "few-times": ((*_PROMPT, "time_ns"), [0]),
        "first-knot": ((*_PROMPT, "knots", 0), 1),
        "knots": ((*_STEP, "tokens", "knots", 2), 512),
        "late-knot": ((*_PROMPT, "knots", 1), LARGEST_AMOUNT + 1),
        "first-time": ((*_PROMPT, "time_ns", 0), 1),
        "falling": ((*_STEP, "tokens", "time_ns", 2), 1),
        "late-time": ((*_PROMPT, "time_ns", 1), LARGEST_NS + 1),
    }


# Numbers that occur once in the buffer, and their replacements.
_NUMBERS = {
    "columns": (4_099, 1_024),
    "large": (640, LARGEST_AMOUNT + 1),
    "rows": (60, 2),
    "no-blocks": (6_007, 0),
    "falling": (95_000_000, 1),
    "time": (18_000_000, 0),
}


def _set(place: Place, value: Any) -> Change:
    """A change of the first form: another value at a place."""

    def change(policy: dict[str, Any]) -> None:
        holder: Any = policy["forms"][0]
        for key in place[:-1]:
            holder = holder[key]
        holder[place[-1]] = value

    return change


def _with_number(old: int, new: int) -> bytes:
    """The buffer with the one number `old` replaced."""
    payload = unseal(encode_flat(named_policies()["budgets"][1]))
    before, after = (number.to_bytes(_WORD, "little") for number in (old, new))
    assert payload.count(before) == 1, old
    return seal(payload.replace(before, after))
