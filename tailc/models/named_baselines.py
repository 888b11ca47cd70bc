"""Baselines that users ask for by name: one file each, found in the folder of their model.

A file of a folder `baselines` has one final class, a `Baseline` of requests or a `RuleBaseline`.
Nothing else lists them.
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
from tailc.models.baseline_syntax import Given, Syntax
from tailc.units import QuantityError, shorten

ALL, FIRST = "all", "first"
"""The names that stand for all defaults, and for the first of them."""


class Named(ABC):
    """What all baselines have.

    about: what it does, on one line for people. rank: its place in lists, and among the defaults,
    ascending.
    """

    syntax: ClassVar[Syntax]
    about: ClassVar[str]
    rank: ClassVar[int]


NamedT = TypeVar("NamedT", bound=Named)


@dataclass(frozen=True)
class Query(Generic[NamedT]):
    """A name that was understood."""

    baseline: NamedT
    given: Given


@dataclass(frozen=True)
class Folder(Generic[NamedT]):
    """The baselines of one model, by rank. where: on which machines they are, in messages."""

    found: tuple[NamedT, ...]
    where: str

    def query(self, name: str, known: Sequence[str]) -> Query[NamedT]:
        """What `name` asks for. known: names that fit, for who meant one of them.

        Raises TailcError (USAGE) for no baseline's name, and for a value that cannot be.
        """
        for baseline in self.found:
            if (given := _read(baseline, name)) is not None:
                return Query(baseline, given)
        message = f"there is no baseline `{shorten(name)}` {self.where}".rstrip()
        for baseline in self.found:
            syntax = baseline.syntax
            if syntax.is_name_with_more(name):
                raise usage(f"{message}: `{syntax.name}` takes no parameter", f"write `{syntax}`")
        raise usage(message, did_you_mean(name.strip().lower(), known))


def _read(baseline: Named, name: str) -> Given | None:
    try:
        return baseline.syntax.read(name)
    except QuantityError as error:
        raise unfit(name, error.message, error.help) from None


def unfit(name: str, why: str, hint: str | None) -> TailcError:
    """A baseline that there is, but not so, or not here."""
    return usage(f"baseline `{shorten(name)}`: {why}", hint)


def usage(message: str, hint: str | None) -> TailcError:
    """The user's name is wrong."""
    return TailcError(Finding(Code.USAGE, message, help=hint))


def chosen(
    names: Sequence[str] | None,
    defaults: Callable[[], Sequence[str]],
    check: Callable[[str], object],
) -> tuple[str, ...]:
    """Each name once, `all` and `first` made those that they stand for; None: all defaults.

    Raises TailcError with every name that `check` refuses.
    """
    asked = (ALL,) if names is None else names
    found = dict.fromkeys(one for name in asked for one in _meant(name, defaults))
    findings: list[Finding] = []
    for name in found:
        try:
            check(name)
        except TailcError as error:
            findings += error.findings
    if findings:
        raise TailcError(findings)
    return tuple(found)


def _meant(name: str, defaults: Callable[[], Sequence[str]]) -> Sequence[str]:
    if name in (ALL, FIRST):
        return defaults() if name == ALL else defaults()[:1]
    return (name,)


@functools.cache
def folder_in(package: str) -> Folder[Any]:
    """The baselines of the files of a package, whose `WHERE` says where they are."""
    package_ = importlib.import_module(package)
    names = [module.name for module in pkgutil.iter_modules(package_.__path__)]
    modules = [importlib.import_module(f"{package}.{name}") for name in names]
    found = [baseline for module in modules for baseline in _baselines_of(module)]
    return Folder(tuple(sorted(found, key=lambda one: (one.rank, one.syntax.name))), package_.WHERE)


def _baselines_of(module: ModuleType) -> Iterator[Named]:
    for value in vars(module).values():
        is_class_of_it = inspect.isclass(value) and value.__module__ == module.__name__
        if is_class_of_it and issubclass(value, Named):
            yield value()
