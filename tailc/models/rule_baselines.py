"""Baselines that do not depend on a policy: planners, allocators and rules for CPU shares."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from tailc.models.baseline_syntax import NameValues
from tailc.models.named_baselines import Folder, NamedBaseline, choose_names, folder_in, unfit_error
from tailc.units import QuantityError

RuleT = TypeVar("RuleT")
RuleT_co = TypeVar("RuleT_co", covariant=True)


class RuleBaseline(NamedBaseline, Generic[RuleT]):
    """A family of baselines that are rules; the values in a baseline's name select one of them.

    examples: names for lists. is_default: whether the first example is replayed by default.
    """

    examples: ClassVar[tuple[str, ...]]
    is_default: ClassVar[bool]

    @abstractmethod
    def make(self, values: NameValues) -> RuleT:
        """Make the rule from the values in a baseline's name.

        Raises QuantityError for a value out of range.
        """


@dataclass(frozen=True)
class RuleBaselines(Generic[RuleT_co]):
    """All baselines of one execution model whose decisions do not depend on a policy (rules)."""

    folder: Folder[RuleBaseline[Any]]

    def with_more(self, more: Sequence[RuleBaseline[Any]]) -> RuleBaselines[RuleT_co]:
        """Add further baselines to these, ordered by rank."""
        every = sorted((*self.folder.baselines, *more), key=lambda one: one.rank)
        return RuleBaselines(Folder(tuple(every), self.folder.where))

    @property
    def defaults(self) -> tuple[str, ...]:
        """Names of the baselines that are replayed by default, in order."""
        return tuple(one.examples[0] for one in self.folder.baselines if one.is_default)

    def choose(self, names: Sequence[str] | None) -> tuple[str, ...]:
        """Expand a list of baseline names, without duplicates; None: the defaults.

        See `choose_names` for the names `all` and `first`.
        """
        return choose_names(names, lambda: self.defaults, self.make_rule)

    def make_rule(self, name: str) -> RuleT_co:
        """Make the named rule.

        Raises TailcError (USAGE) for an unknown baseline, and for a value out of range.
        """
        known = [example for one in self.folder.baselines for example in one.examples]
        query = self.folder.query(name, known)
        try:
            return query.baseline.make(query.values)
        except QuantityError as error:
            raise unfit_error(name, error.message, error.help) from None


def rules_in(package: str) -> RuleBaselines[Any]:
    """The baselines of type `RuleBaseline` that are defined in the files of a package."""
    return RuleBaselines(folder_in(package))
