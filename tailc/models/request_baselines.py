"""Baselines of requests: what a policy is compared with on the same machine."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Generic

from tailc.models.baseline_syntax import NameValues
from tailc.models.execution_model import BaselineSearch, Subject, SubjectT
from tailc.models.named_baselines import Folder, NamedBaseline, Query, folder_in, unfit_error
from tailc.models.workload import Workload


@dataclass(frozen=True)
class Unfit:
    """Why a baseline does not apply to a policy, as a sentence, and what to write instead.

    help: None to suggest the names that fit.
    """

    why: str
    help: str | None = None


@dataclass(frozen=True)
class Setup(Generic[SubjectT]):
    """Inputs to make a baseline: a policy, the values in the name, the workload, and a search.

    search: replays candidates, for baselines that have to choose a setting.
    """

    policy: SubjectT
    values: NameValues
    workload: Workload
    search: BaselineSearch


class Baseline(NamedBaseline, Generic[SubjectT]):
    """A family of baselines of an execution model; the values in a name select one of them."""

    @abstractmethod
    def examples(self, policy: SubjectT) -> tuple[str, ...]:
        """Example names for lists; names that do not fit are left out of the lists."""

    @abstractmethod
    def check_fit(self, policy: SubjectT, values: NameValues) -> Unfit | None:
        """The reason why the baseline does not apply to this policy; None if it applies."""

    @abstractmethod
    def default_names(self, policy: SubjectT, workload: Workload) -> tuple[str, ...]:
        """Names of the baselines of this family to replay by default.

        Names that do not fit the policy are left out.
        """

    @abstractmethod
    def make(self, setup: Setup[SubjectT]) -> SubjectT:
        """Make the baseline of a name that fits the policy; see `Setup` for what it may use.

        Only a baseline with a choice uses `setup.search`.
        """


def default_names(policy: Subject, workload: Workload) -> tuple[str, ...]:
    """Names of the baselines that are informative for this policy, by rank."""
    return tuple(
        name
        for one in _folder(policy).baselines
        for name in one.default_names(policy, workload)
        if _fits(one, policy, name)
    )


def make_baseline(
    name: str, policy: SubjectT, workload: Workload, search: BaselineSearch
) -> SubjectT:
    """Make the named baseline on the policy's machine.

    Raises TailcError (USAGE) for an unknown baseline, and for one that this machine cannot run.
    """
    query = fitting(name, policy)
    return query.baseline.make(Setup(policy, query.values, workload, search))


def fitting(name: str, policy: Subject) -> Query[Baseline[Any]]:
    """Parse the name of a baseline that the policy's machine can run.

    Raises TailcError (USAGE) for an unknown baseline, and for one that this machine cannot run.
    """
    known = _names_that_fit(policy)
    query = _folder(policy).query(name, known)
    refusal = query.baseline.check_fit(policy, query.values)
    if refusal is not None:
        raise unfit_error(name, refusal.why, refusal.help or f"known: {_list_names(known)}")
    return query


def _names_that_fit(policy: Subject) -> list[str]:
    found = _folder(policy).baselines
    return [name for one in found for name in one.examples(policy) if _fits(one, policy, name)]


def _fits(baseline: Baseline[Any], policy: Subject, name: str) -> bool:
    values = baseline.syntax.read(name)
    return values is not None and baseline.check_fit(policy, values) is None


def _list_names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _folder(policy: Subject) -> Folder[Baseline[Any]]:
    """The folder `baselines` next to the module of the policy's model."""
    model = type(policy).__module__.rpartition(".")[0]
    return folder_in(f"{model}.baselines")
