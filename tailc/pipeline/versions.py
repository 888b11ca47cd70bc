"""The versions that an artifact names beside its answer, and the digest of its spec."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from tailc_solvers.backends.adapters import Backend

from tailc.artifact.envelope import COMPILED_SPEC
from tailc.artifact.provenance import spec_digest
from tailc.specs.budgets import BUDGETS
from tailc.specs.tree import Document, plain
from tailc.version import __version__

# Libraries whose arithmetic reaches the artifact.
_ARITHMETIC = ("numba", "numpy")
_PACKAGES = {
    Backend.HIGHS: "highspy",
    Backend.SCIP: "ortools",
    Backend.CP_SAT: "ortools",
    Backend.CLARABEL: "clarabel",
    Backend.GUROBI: "gurobipy",
}


def versions(spec: Document, backends: Iterable[Backend]) -> tuple[tuple[str, str], ...]:
    """(name, version) of tailc and of what computes for it, and the spec's digest, by name."""
    packages = {*_ARITHMETIC, *(_PACKAGES[backend] for backend in backends)}
    told = {"tailc": __version__, COMPILED_SPEC: compiled_digest(spec)}
    return tuple(sorted({**told, **dict(_installed(packages))}.items()))


def compiled_digest(spec: Document) -> str:
    """The digest of what a policy is compiled from."""
    return spec_digest(compiled_keys(spec))


def compiled_keys(spec: Document) -> dict[str, Any]:
    """The keys and values that a policy is compiled from.

    Budgets are for whoever compares it with another: a change of them makes no other policy.
    """
    return {key: value for key, value in plain(spec.root).items() if key != BUDGETS}


def _installed(packages: set[str]) -> Iterator[tuple[str, str]]:
    """None of a solver that had nothing to do, and is not there."""
    for package in packages:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue
