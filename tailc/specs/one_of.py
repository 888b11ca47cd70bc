"""Which of several groups of keys a mapping has: by the keys that are given, or by a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from tailc.errors import Code
from tailc.specs.fields import Complaint, RefusalError
from tailc.specs.key_groups import Gathered, fields_of, models_in

Group = type[BaseModel]
Groups = Sequence[Group]


class Choice(Protocol):
    """How one of several groups is chosen."""

    def chosen(self, groups: Groups, keys: Gathered) -> Group:
        """The group that is meant; raises RefusalError where that is none, or several."""
        ...

    def stray(self, key: str, group: Group, groups: Groups) -> Complaint:
        """What is wrong with a key that is given beside the group that is meant, and another's."""
        ...


@dataclass(frozen=True)
class OneOf:
    """Stands in the annotation of a field that holds one of several groups, and says which."""

    choice: Choice

    def __get_pydantic_core_schema__(
        self, annotation: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        groups = tuple(models_in(annotation))
        union = core_schema.tagged_union_schema(
            {_tag(group): handler.generate_schema(group) for group in groups},
            discriminator=lambda given: _tag(given.group),
        )
        return core_schema.no_info_before_validator_function(self._given(groups), union)

    def _given(self, groups: Groups) -> Callable[[Gathered], _Given]:
        def given(keys: Gathered) -> _Given:
            group = self.choice.chosen(groups, keys)
            own = fields_of(group)
            strays = [self.choice.stray(key, group, groups) for key in keys.given if key not in own]
            if strays:
                raise RefusalError(*strays)
            return _Given(group, {key: value for key, value in keys.keys.items() if key in own})

        return given


class _Given(dict[str, Any]):
    """The keys of a group, and which one it is."""

    def __init__(self, group: Group, keys: Mapping[str, Any]) -> None:
        super().__init__(keys)
        self.group = group


def _tag(group: Group) -> str:
    """A step of a path that is not in the spec."""
    return f"<{group.__name__}>"


@dataclass(frozen=True)
class Stray:
    """What is said of a key of another group than the one that is given, and what to do about it.

    The key by which that one is known stands for `{}`.
    """

    message: str = "is nothing that goes with `{}`"
    help: str = "remove it"


@dataclass(frozen=True)
class ExactlyOne:
    """By the keys that a group requires, and no other has; those of one must be given.

    both: what is said of a second group, where the key of the first stands for `{}`. missing: what
    is said where there is none, and what to do about it. strays: what is said of keys.
    """

    both: str
    missing: tuple[str, str]
    strays: Mapping[str, Stray] = field(default_factory=dict)

    def chosen(self, groups: Groups, keys: Gathered) -> Group:
        """The one of which such a key is given."""
        named = _only_one(_named(groups, keys), self.both)
        if not named:
            # An unknown key may be a misspelled one, and is told.
            missing = Complaint(Code.MISSING_KEY, *self.missing)
            raise RefusalError(*(() if keys.unknown else (missing,)))
        return named[0]

    def stray(self, key: str, group: Group, groups: Groups) -> Complaint:
        """As `strays` says."""
        return _stray(key, self.strays, _leading(group, groups))


@dataclass(frozen=True)
class AtMostOne:
    """By the keys that a group requires, and no other has; where none is given, the one without.

    both: what is said of a second group, where the key of the first stands for `{}`. strays: what
    is said of keys.
    """

    both: str = "and `{}` exclude one another"
    strays: Mapping[str, Stray] = field(default_factory=dict)

    def chosen(self, groups: Groups, keys: Gathered) -> Group:
        """The one of which such a key is given, else the one that has none."""
        without = [group for group in groups if not _leading(group, groups)]
        return (_only_one(_named(groups, keys), self.both) or without)[0]

    def stray(self, key: str, group: Group, groups: Groups) -> Complaint:
        """As `strays` says."""
        return _stray(key, self.strays, _leading(group, groups))


def _named(groups: Groups, keys: Gathered) -> Mapping[str, Group]:
    """Groups of which a key is given that only they have, by the first such key."""
    found = {}
    for group in groups:
        given = [key for key in _leading(group, groups) if key in keys.given]
        found |= dict.fromkeys(given[:1], group)
    return found


def _only_one(named: Mapping[str, Group], both: str) -> list[Group]:
    """The group, if there is one; raises RefusalError of every further one."""
    first, *others = named or [""]
    if others:
        message = both.format(first)
        raise RefusalError(
            *(Complaint(Code.CONFLICT, message, "remove one", (key,), (first,)) for key in others)
        )
    return list(named.values())


def _leading(group: Group, groups: Groups) -> list[str]:
    """The keys that it requires, and no other has."""
    others = {key for other in groups if other is not group for key in fields_of(other)}
    required = (key for key, field in fields_of(group).items() if field.is_required())
    return [key for key in required if key not in others]


def _stray(key: str, strays: Mapping[str, Stray], leading: Sequence[str]) -> Complaint:
    said = strays.get(key, Stray())
    message = said.message.format(*leading[:1])
    return Complaint(Code.CONFLICT, message, said.help, (key,), tuple(leading[:1]) or None)


@dataclass(frozen=True)
class ByValue:
    """By what the mapping says elsewhere.

    which: the group of a mapping. strays: what is said of a key of another group, and what to do
    about it. also: the key by which the group is known.
    """

    which: Callable[[Mapping[str, Any]], Group]
    strays: Mapping[str, Stray]
    also: str

    def chosen(self, groups: Groups, keys: Gathered) -> Group:  # noqa: ARG002
        """As `which` says; of what is missing nothing, where an unknown key may be it."""
        try:
            return self.which(keys.whole)
        except RefusalError:
            if keys.unknown:
                raise RefusalError from None
            raise

    def stray(self, key: str, group: Group, groups: Groups) -> Complaint:  # noqa: ARG002
        """As `strays` says."""
        said = self.strays[key]
        return Complaint(Code.CONFLICT, said.message, said.help, (key,), (self.also,))
