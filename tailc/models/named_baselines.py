"""Baselines that users request by name: one file each, in a folder of their model.

Each file of a folder `baselines` has one final class, a `Baseline` of requests or a `RuleBaseline`.
There is no other list of them.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from abc import ABC
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar, Generic, TypeVar

from tailc.errors import Code, Finding, TailcError, did_you_mean
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.units import QuantityError, shorten

ALL, FIRST = "all", "first"
"""The names for all default baselines, and for the first of them."""


class NamedBaseline(ABC):
    """A baseline that users request by name: its syntax, description and rank.

    about: what it does, in one line for users. rank: its place in lists and among the defaults,
    ascending.
    """

    syntax: ClassVar[Syntax]
    about: ClassVar[str]
    rank: ClassVar[int]


NamedT = TypeVar("NamedT", bound=NamedBaseline)


@dataclass(frozen=True)
class Query(Generic[NamedT]):
    """A baseline that a user requests: the baseline found by name, and the values in the name."""

    baseline: NamedT
    values: NameValues


@dataclass(frozen=True)
class Folder(Generic[NamedT]):
    """The baselines of one execution model, by rank.

    where: their machines, as named in messages.
    """

    baselines: tuple[NamedT, ...]
    where: str

    def query(self, name: str, known: Sequence[str]) -> Query[NamedT]:
        """Find the baseline with this name, and read the values in the name.

        known: names that fit, to suggest for a wrong one. Raises TailcError (USAGE) for an unknown
        baseline, and for a value out of range.
        """
        for baseline in self.baselines:
            if (values := _read(baseline, name)) is not None:
                return Query(baseline, values)
        message = f"there is no baseline `{shorten(name)}` {self.where}".rstrip()
        for baseline in self.baselines:
            syntax = baseline.syntax
            if syntax.is_name_with_more(name):
                raise usage_error(
                    f"{message}: `{syntax.name}` takes no parameter", f"write `{syntax}`"
                )
        raise usage_error(message, did_you_mean(name.strip().lower(), known))


def _read(baseline: NamedBaseline, name: str) -> NameValues | None:
    try:
        return baseline.syntax.read(name)
    except QuantityError as error:
        raise unfit_error(name, error.message, error.help) from None


def unfit_error(name: str, why: str, hint: str | None) -> TailcError:
    """Make the error for a baseline that does not fit the machine, or a value in its name."""
    return usage_error(f"baseline `{shorten(name)}`: {why}", hint)


def usage_error(message: str, hint: str | None) -> TailcError:
    """Make the TailcError (USAGE) for a wrong baseline name."""
    return TailcError(Finding(Code.USAGE, message, help=hint))


def choose_names(
    names: Sequence[str] | None,
    defaults: Callable[[], Sequence[str]],
    check: Callable[[str], object],
) -> tuple[str, ...]:
    """Expand `all` and `first` to baseline names and remove duplicates; None: all defaults.

    Raises TailcError with every name that `check` refuses.
    """
    requested = (ALL,) if names is None else names
    found = dict.fromkeys(one for name in requested for one in _expand(name, defaults))
    findings: list[Finding] = []
    for name in found:
        try:
            check(name)
        except TailcError as error:
            findings += error.findings
    if findings:
        raise TailcError(findings)
    return tuple(found)


def _expand(name: str, defaults: Callable[[], Sequence[str]]) -> Sequence[str]:
    if name in (ALL, FIRST):
        return defaults() if name == ALL else defaults()[:1]
    return (name,)


@functools.cache
def folder_in(package: str) -> Folder[Any]:
    """Find the baselines in the files of a package; the package's `WHERE` says where they apply."""
    package_ = importlib.import_module(package)
    names = [module.name for module in pkgutil.iter_modules(package_.__path__)]
    modules = [importlib.import_module(f"{package}.{name}") for name in names]
    found = [baseline for module in modules for baseline in _baselines_of(module)]
    return Folder(tuple(sorted(found, key=lambda one: (one.rank, one.syntax.name))), package_.WHERE)


def _baselines_of(module: ModuleType) -> Iterator[NamedBaseline]:
    for value in vars(module).values():
        is_class_of_it = inspect.isclass(value) and value.__module__ == module.__name__
        if is_class_of_it and issubclass(value, NamedBaseline):
            yield value()
