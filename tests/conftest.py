import os

import pytest
from hypothesis import settings

from tests.kernels import compile_once

# The same examples on every machine and every run; `make fuzz` explores further.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


@pytest.fixture(scope="session", autouse=True)
def _kernels(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The workers of pytest-xdist have their folders side by side."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        compile_once(tmp_path_factory.getbasetemp().parent / "kernels")
