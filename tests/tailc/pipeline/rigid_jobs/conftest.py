"""One child for all plans of a module: to start one takes longer than these problems."""

from __future__ import annotations

from typing import Self

import pytest
from tailc_solvers.backends.adapters import Solver

from tailc.pipeline.rigid_jobs import search as searched
from tailc.pipeline.rigid_jobs import solve as solved


class KeptSolver(Solver):
    """Its child lives until the module's tests are done."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module", autouse=True)
def kept_solvers():
    found: dict[str, KeptSolver] = {}

    def solver(backend: str) -> KeptSolver:
        return found.setdefault(backend, KeptSolver(backend))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(solved, "Solver", solver)
        patched.setattr(searched, "Solver", solver)
        yield
    for one in found.values():
        Solver.__exit__(one, None, None, None)
