"""Baselines of requests: what a policy is replayed beside, on the same machine."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Generic

from tailc.models.baseline_syntax import Given
from tailc.models.execution_model import Search, Subject, SubjectT
from tailc.models.named_baselines import Folder, Named, Query, folder_in, unfit
from tailc.models.workload import Workload


@dataclass(frozen=True)
class Unfit:
    """Why a baseline is none of a policy, as a sentence, and what to write instead.

    help: None for the names that fit.
    """

    why: str
    help: str | None = None


@dataclass(frozen=True)
class Setup(Generic[SubjectT]):
    """What a baseline is made from: a policy, what stands in the name, and requests to try on."""

    policy: SubjectT
    given: Given
    workload: Workload
    search: Search


class Baseline(Named, Generic[SubjectT]):
    """One or more baselines of an execution model, by what stands in their name."""

    @abstractmethod
    def examples(self, policy: SubjectT) -> tuple[str, ...]:
        """Names of it, for lists of those there are; what does not fit is left out of them."""

    @abstractmethod
    def unfit(self, policy: SubjectT, given: Given) -> Unfit | None:
        """Why it is none of this policy; None where it fits."""

    @abstractmethod
    def default_names(self, policy: SubjectT, workload: Workload) -> tuple[str, ...]:
        """Those to replay where none is named; what does not fit is left out of them."""

    @abstractmethod
    def make(self, setup: Setup[SubjectT]) -> SubjectT:
        """The one of a name that fits; only what has something to choose asks `setup.search`."""


def default_names(policy: Subject, workload: Workload) -> tuple[str, ...]:
    """The baselines that say something about this policy, by rank."""
    return tuple(
        name
        for one in _folder(policy).found
        for name in one.default_names(policy, workload)
        if _fits(one, policy, name)
    )


def made(name: str, policy: SubjectT, workload: Workload, search: Search) -> SubjectT:
    """The baseline of that name on the policy's machine; TailcError as `fitting` raises."""
    query = fitting(name, policy)
    return query.baseline.make(Setup(policy, query.given, workload, search))


def fitting(name: str, policy: Subject) -> Query[Baseline[Any]]:
    """The baseline of that name on the policy's machine.

    Raises TailcError (USAGE) for no baseline's name, and for what this machine cannot do.
    """
    known = _known(policy)
    query = _folder(policy).query(name, known)
    refusal = query.baseline.unfit(policy, query.given)
    if refusal is not None:
        raise unfit(name, refusal.why, refusal.help or f"known: {_listed(known)}")
    return query


def _known(policy: Subject) -> list[str]:
    found = _folder(policy).found
    return [name for one in found for name in one.examples(policy) if _fits(one, policy, name)]


def _fits(baseline: Baseline[Any], policy: Subject, name: str) -> bool:
    given = baseline.syntax.read(name)
    return given is not None and baseline.unfit(policy, given) is None


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _folder(policy: Subject) -> Folder[Baseline[Any]]:
    """That beside the module of the policy's model."""
    model = type(policy).__module__.rpartition(".")[0]
    return folder_in(f"{model}.baselines")
