"""Make the JSON Schema of specs, for editors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from tailc.specs.fields import OWN_KEY, SpecModel
from tailc.specs.key_groups import is_group

Schema = dict[str, Any]
_OWN = {"description": "Your own data, which tailc ignores."}


class _WithoutTitles(GenerateJsonSchema):
    """Generates a schema without titles, which pydantic derives from names."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def spec_schema(model: type[SpecModel]) -> Schema:
    """Make the JSON Schema of the specs that `model` checks.

    It accepts more than the model: conflicts between keys are not in it.
    """
    schema = model.model_json_schema(schema_generator=_WithoutTitles)
    defs = schema.get("$defs", {})
    held = [
        (part, key) for part in _mappings(schema) for key in part["properties"] if is_group(key)
    ]
    names = [_names_of_groups(part, key) for part, key in held]
    for (part, key), groups in zip(held, names, strict=True):
        _flatten(part, key, [defs[name] for name in groups])
    for name in {name for groups in names for name in groups}:
        del defs[name]
    for part in _mappings(schema):
        part["patternProperties"] = {f"^{OWN_KEY}": _OWN}
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema}


def spec_schema_text(model: type[SpecModel]) -> str:
    """Format the schema as the text of the checked-in file."""
    return json.dumps(spec_schema(model), indent=2) + "\n"


def _mappings(schema: Any) -> Iterator[Schema]:
    """All mappings with keys in a schema."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for part in schema.values():
            yield from _mappings(part)
    if isinstance(schema, list):
        for part in schema:
            yield from _mappings(part)


def _names_of_groups(mapping: Schema, alias: str) -> list[str]:
    choices = mapping["properties"][alias]["oneOf"]
    return [choice["$ref"].rpartition("/")[2] for choice in choices]


def _flatten(mapping: Schema, alias: str, groups: Sequence[Schema]) -> None:
    """Move the keys of groups into the mapping itself, with their conditions."""
    together = {key: field for group in reversed(groups) for key, field in _keys(group)}
    ordered = {key: together[key] for group in groups for key, _ in _keys(group)}
    mapping["properties"] = _in_place(mapping["properties"], alias, ordered)
    shared = [
        key
        for key in _required_keys(groups[0])
        if all(key in _required_keys(one) for one in groups)
    ]
    required = [key for key in (*_required_keys(mapping), *shared) if key != alias]
    del mapping["required"]
    mapping |= {"required": required} if required else {}
    needed = [[key for key in _required_keys(group) if key not in shared] for group in groups]
    if all(needed):
        one = {"oneOf": [{"required": keys} for keys in needed]}
        mapping["allOf"] = [*mapping.get("allOf", ()), one]


def _keys(mapping: Schema) -> Sequence[tuple[str, Schema]]:
    return tuple(mapping.get("properties", {}).items())


def _required_keys(mapping: Schema) -> Sequence[str]:
    return mapping.get("required", ())


def _in_place(properties: Schema, alias: str, ordered: Mapping[str, Schema]) -> Schema:
    """The properties, with those of a group in place of its alias."""
    before = list(properties).index(alias)
    items = list(properties.items())
    return dict([*items[:before], *ordered.items(), *items[before + 1 :]])
