"""Choose one of several groups of keys in a mapping: by the keys in it, or by a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from tailc.errors import Code
from tailc.specs.fields import Complaint, RefusalError
from tailc.specs.key_groups import GroupedKeys, fields_of, models_in

Group = type[BaseModel]
Groups = Sequence[Group]


class GroupRule(Protocol):
    """A rule that decides which of several groups of spec keys the user means."""

    def choose(self, groups: Groups, keys: GroupedKeys) -> Group:
        """Choose the intended group; RefusalError if there is none or several."""
        ...

    def stray(self, key: str, group: Group, groups: Groups) -> Complaint:
        """Make the complaint about a key that does not belong to the chosen group of keys."""
        ...


@dataclass(frozen=True)
class OneOf:
    """Annotation of a spec field whose value is one of several groups of keys, with their rule."""

    choice: GroupRule

    def __get_pydantic_core_schema__(
        self, annotation: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        groups = tuple(models_in(annotation))
        union = core_schema.tagged_union_schema(
            {_tag(group): handler.generate_schema(group) for group in groups},
            discriminator=lambda given: _tag(given.group),
        )
        return core_schema.no_info_before_validator_function(self._given_keys(groups), union)

    def _given_keys(self, groups: Groups) -> Callable[[GroupedKeys], _GroupKeys]:
        def keys_of_group(keys: GroupedKeys) -> _GroupKeys:
            group = self.choice.choose(groups, keys)
            own = fields_of(group)
            strays = [
                self.choice.stray(key, group, groups) for key in keys.given_keys if key not in own
            ]
            if strays:
                raise RefusalError(*strays)
            return _GroupKeys(group, {key: value for key, value in keys.keys.items() if key in own})

        return keys_of_group


class _GroupKeys(dict[str, Any]):
    """The keys of a group, and the group."""

    def __init__(self, group: Group, keys: Mapping[str, Any]) -> None:
        super().__init__(keys)
        self.group = group


def _tag(group: Group) -> str:
    """A step of a path that represents a group and is not in the spec."""
    return f"<{group.__name__}>"


@dataclass(frozen=True)
class Stray:
    """Message and advice for a key that belongs to another group of keys than the chosen one.

    `{}` in the message represents the key that identifies the chosen group.
    """

    message: str = "cannot be combined with `{}`"
    help: str = "remove it"


@dataclass(frozen=True)
class ExactlyOne:
    """The rule that exactly one of several groups of keys is in a spec.

    A group is identified by a key that only it requires. both: message for a second group; `{}`
    represents the key of the first. missing: message and advice if there is none. strays: messages
    for other keys.
    """

    both: str
    missing: tuple[str, str]
    strays: Mapping[str, Stray] = field(default_factory=dict)

    def choose(self, groups: Groups, keys: GroupedKeys) -> Group:
        """Choose the group whose required key is in the spec."""
        named = _only_one(_groups_by_key(groups, keys), self.both)
        if not named:
            # An unknown key may be a misspelled one, so the key is reported instead.
            missing = Complaint(Code.MISSING_KEY, *self.missing)
            raise RefusalError(*(() if keys.unknown else (missing,)))
        return named[0]

    def stray(self, key: str, group: Group, groups: Groups) -> Complaint:
        """Make the complaint about a key that does not belong to the chosen group of keys."""
        return _stray(key, self.strays, _leading(group, groups))


@dataclass(frozen=True)
class AtMostOne:
    """The rule that at most one of several groups of keys is in a spec.

    A group is identified by a key that only it requires. both: message for a second group; `{}`
    represents the key of the first. strays: messages for other keys.
    """

    both: str = "and `{}` cannot be combined"
    strays: Mapping[str, Stray] = field(default_factory=dict)

    def choose(self, groups: Groups, keys: GroupedKeys) -> Group:
        """Choose the group whose required key is in the spec, else the group without one."""
        without = [group for group in groups if not _leading(group, groups)]
        return (_only_one(_groups_by_key(groups, keys), self.both) or without)[0]

    def stray(self, key: str, group: Group, groups: Groups) -> Complaint:
        """Make the complaint about a key that does not belong to the chosen group of keys."""
        return _stray(key, self.strays, _leading(group, groups))


def _groups_by_key(groups: Groups, keys: GroupedKeys) -> Mapping[str, Group]:
    """Groups whose identifying key is in the spec, by that key."""
    found = {}
    for group in groups:
        given = [key for key in _leading(group, groups) if key in keys.given_keys]
        found |= dict.fromkeys(given[:1], group)
    return found


def _only_one(named: Mapping[str, Group], both: str) -> list[Group]:
    """The group, if there is one; raises RefusalError for each further group."""
    first, *others = named or [""]
    if others:
        message = both.format(first)
        raise RefusalError(
            *(Complaint(Code.CONFLICT, message, "remove one", (key,), (first,)) for key in others)
        )
    return list(named.values())


def _leading(group: Group, groups: Groups) -> list[str]:
    """Keys that the group requires and no other group has."""
    others = {key for other in groups if other is not group for key in fields_of(other)}
    required = (key for key, field in fields_of(group).items() if field.is_required())
    return [key for key in required if key not in others]


def _stray(key: str, strays: Mapping[str, Stray], leading: Sequence[str]) -> Complaint:
    said = strays.get(key, Stray())
    message = said.message.format(*leading[:1])
    return Complaint(Code.CONFLICT, message, said.help, (key,), tuple(leading[:1]) or None)


@dataclass(frozen=True)
class ByValue:
    """The rule that the value of another spec key decides which group of keys is meant.

    which: the group for a mapping. strays: messages for keys of other groups. also: the key that
    identifies the group.
    """

    which: Callable[[Mapping[str, Any]], Group]
    strays: Mapping[str, Stray]
    also: str

    def choose(self, groups: Groups, keys: GroupedKeys) -> Group:  # noqa: ARG002
        """Choose the group of keys by the value of another key.

        The error about a missing key is empty if an unknown key may be a misspelling of it.
        """
        try:
            return self.which(keys.whole)
        except RefusalError:
            if keys.unknown:
                raise RefusalError from None
            raise

    def stray(self, key: str, group: Group, groups: Groups) -> Complaint:  # noqa: ARG002
        """Make the complaint about a key that does not belong to the chosen group of keys."""
        said = self.strays[key]
        return Complaint(Code.CONFLICT, said.message, said.help, (key,), (self.also,))
