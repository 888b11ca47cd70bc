"""Groups of keys in one mapping of a spec that together form one value.

A field of a model with an alias such as `<source>` is not a key. Its value is one of several groups
of keys; a group is a model, and its keys are in the same mapping as all other keys.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

Step = str | int


@dataclass(frozen=True)
class GroupedKeys:
    """The keys of a mapping that belong to a group, and the whole mapping.

    unknown: keys of the mapping that are in no field and no group.
    """

    keys: Mapping[str, Any]
    whole: Mapping[str, Any]
    unknown: frozenset[str]

    @property
    def given_keys(self) -> Sequence[str]:
        """The keys of the mapping to which the user gave a value."""
        return [key for key, value in self.keys.items() if value is not None]


def is_group(step: Step) -> bool:
    """Whether a step of a path is a group of keys and not a key."""
    return isinstance(step, str) and step.startswith("<") and step.endswith(">")


def without_groups(path: Sequence[Step]) -> tuple[Step, ...]:
    """Remove the steps for groups of keys from a path, so that it is as in the spec."""
    return tuple(step for step in path if not is_group(step))


def key_of(name: str, field: FieldInfo) -> str:
    """The key that a field has in a spec."""
    return field.alias or name


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that a value of this type can be or contain."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


@functools.cache
def fields_of(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """Map every key that a mapping can have, including keys of groups, to its field.

    model: type of the mapping.
    """
    found: dict[str, FieldInfo] = {}
    for name, field in model.model_fields.items():
        key = key_of(name, field)
        found |= _keys_within(field) if is_group(key) else {key: field}
    return found


def group_keys(model: type[BaseModel], value: Any) -> Any:
    """Collect the keys of each group in a mapping; other values are unchanged."""
    groups = _groups_of(model)
    if not groups or not isinstance(value, Mapping):
        return value
    unknown = frozenset(value) - fields_of(model).keys()
    together = {
        group: GroupedKeys({key: value[key] for key in value if key in keys}, value, unknown)
        for group, keys in groups.items()
    }
    of_groups = frozenset[str]().union(*groups.values())
    return {key: part for key, part in value.items() if key not in of_groups} | together


@functools.cache
def _groups_of(model: type[BaseModel]) -> Mapping[str, frozenset[str]]:
    """Keys of each group of the model, by its alias."""
    fields = {key_of(name, field): field for name, field in model.model_fields.items()}
    return {key: frozenset(_keys_within(field)) for key, field in fields.items() if is_group(key)}


def _keys_within(field: FieldInfo) -> dict[str, FieldInfo]:
    """Keys of all groups of a field; a key of several groups is at its last position."""
    found: dict[str, FieldInfo] = {}
    for member in models_in(field.annotation):
        for key, own in fields_of(member).items():
            found[key] = found.pop(key, own)
    return found
