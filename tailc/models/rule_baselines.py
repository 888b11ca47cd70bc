"""Baselines that are a rule of their own and fit every policy of their model.

A planner of rigid jobs, an allocator of malleable jobs, shares of machines: their names do not
depend on a policy.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from tailc.models.baseline_syntax import Given
from tailc.models.named_baselines import Folder, Named, chosen, folder_in, unfit
from tailc.units import QuantityError

RuleT = TypeVar("RuleT")
RuleT_co = TypeVar("RuleT_co", covariant=True)


class RuleBaseline(Named, Generic[RuleT]):
    """One or more rules, by what stands in their name.

    examples: names of it, for lists. is_default: whether the first of them is replayed where none
    is named.
    """

    examples: ClassVar[tuple[str, ...]]
    is_default: ClassVar[bool]

    @abstractmethod
    def make(self, given: Given) -> RuleT:
        """The rule; QuantityError for a value that cannot be."""


@dataclass(frozen=True)
class RuleBaselines(Generic[RuleT_co]):
    """Those of one model."""

    folder: Folder[RuleBaseline[Any]]

    @property
    def defaults(self) -> tuple[str, ...]:
        """Those replayed where none is named, in their order."""
        return tuple(one.examples[0] for one in self.folder.found if one.is_default)

    def chosen(self, names: Sequence[str] | None) -> tuple[str, ...]:
        """See `chosen`."""
        return chosen(names, lambda: self.defaults, self.made)

    def made(self, name: str) -> RuleT_co:
        """The rule of that name.

        Raises TailcError (USAGE) for no baseline's name, and for a value that cannot be.
        """
        known = [example for one in self.folder.found for example in one.examples]
        query = self.folder.query(name, known)
        try:
            return query.baseline.make(query.given)
        except QuantityError as error:
            raise unfit(name, error.message, error.help) from None


def rules_in(package: str) -> RuleBaselines[Any]:
    """The rules of the files of a package."""
    return RuleBaselines(folder_in(package))
