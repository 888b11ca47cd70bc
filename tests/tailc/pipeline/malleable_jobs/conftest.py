"""One child of HiGHS for all problems of a file."""

from contextlib import contextmanager

import pytest
from tailc_solvers.backends.adapters import Solver

from tailc.pipeline.malleable_jobs import solve as solved


@pytest.fixture(scope="module")
def highs():
    with Solver("highs") as solver:
        yield solver


@pytest.fixture(autouse=True)
def one_child(monkeypatch, highs):
    """To start a solver takes longer than these problems."""

    @contextmanager
    def shared(backend):
        if backend == "highs":
            yield highs
        else:
            with Solver(backend) as other:
                yield other

    monkeypatch.setattr(solved, "Solver", shared)
