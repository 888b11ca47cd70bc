"""Generate the JSON Schema of the canonical JSON from the shapes that write it."""

from __future__ import annotations

import inspect
from typing import Any

from tailc.artifact.envelope import SCHEMA_MAJOR, SCHEMA_MINOR, Policy
from tailc.artifact.json_form import FORMAT
from tailc.artifact.shapes import (
    LARGEST_WHOLE,
    EnumChoice,
    Many,
    OneForm,
    PairShape,
    RecordShape,
    Shape,
    Slot,
    Text,
    Whole,
    record_of,
)

Schema = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def policy_schema() -> Schema:
    """The schema of every artifact of this major version, up to the present minor."""
    definitions: dict[str, Schema] = {}
    record = record_of(Policy)
    _describe(record, definitions)
    policy = definitions.pop("Policy")
    minors = {"enum": list(range(SCHEMA_MINOR + 1))}
    head: Schema = {
        "format": {"const": FORMAT},
        "schema": {
            "description": (
                "The oldest version that has all parts of the policy. Minor 1 added `demand`; 2 "
                "`power`, `move_us` and the controller; 3 the tail table, shares, and their "
                "rules, measure and columns; 4 the plan, its measure and its role of inputs; 5 the "
                "battery; 6 `overload` and `sharing`; 7 `metric`; 8 `estimates`; 9 `cap`, "
                "`transition`, `serial` and `waiting`; 10 what rungs set (`threads`, "
                "`frequency_khz`, `core_type`, `lane`) and `one_thread_ppm`; 11 the budget table, "
                "its metrics, measure and columns."
            ),
            **_object({"major": {"const": SCHEMA_MAJOR}, "minor": minors}),
        },
        "policy_digest": {
            "description": "Hex SHA-256 of the canonical JSON without this member.",
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
        },
    }
    return {
        "$schema": _DIALECT,
        "title": f"tailc policy {SCHEMA_MAJOR}.{SCHEMA_MINOR}",
        **policy,
        "properties": {**head, **policy["properties"]},
        "required": [*head, *policy["required"]],
        "$defs": dict(sorted(definitions.items())),
    }


def _describe(shape: Shape, definitions: dict[str, Schema]) -> Schema:  # noqa: PLR0911, a return a shape
    """The schema of `shape`; the schemas of its records are added to `definitions`."""
    match shape:
        case Whole():
            return {"type": "integer", "minimum": -LARGEST_WHOLE, "maximum": LARGEST_WHOLE}
        case Text():
            return {"type": "string"}
        case EnumChoice():
            return {"enum": [member.value for member in shape.members]}
        case PairShape():
            parts = [_describe(part, definitions) for part in (shape.first, shape.second)]
            return {"type": "array", "prefixItems": parts, "minItems": 2, "maxItems": 2}
        case Many():
            return {"type": "array", "items": _describe(shape.item, definitions)}
        case RecordShape():
            return _reference(shape, definitions, {})
        case OneForm():
            forms = [
                _reference(record, definitions, {"form": {"const": name}})
                for name, record in shape.records
            ]
            return {"oneOf": forms}


def _reference(record: RecordShape, definitions: dict[str, Schema], more: Schema) -> Schema:
    name = record.cls.__name__
    if name not in definitions:
        described = {slot.name: _member(slot, definitions) for slot in record.slots}
        optional = {slot.name for slot in record.slots if slot.is_optional}
        doc = " ".join((inspect.getdoc(record.cls) or "").split())
        definitions[name] = {"description": doc, **_object({**more, **described}, optional)}
    return {"$ref": f"#/$defs/{name}"}


def _member(slot: Slot, definitions: dict[str, Schema]) -> Schema:
    described = _describe(slot.shape, definitions)
    return described if slot.absent is None else {**described, "default": slot.absent.value}


def _object(properties: dict[str, Schema], optional: set[str] | None = None) -> Schema:
    required = [name for name in properties if name not in (optional or set())]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
