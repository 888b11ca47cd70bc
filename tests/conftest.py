import os

import pytest
from hypothesis import HealthCheck, settings

from tests.kernels import compile_once

# The same examples on every machine, however busy it is, and every run; `make fuzz` has more.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fixed")


@pytest.fixture(scope="session", autouse=True)
def _kernels(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The workers of pytest-xdist have their folders side by side."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        compile_once(tmp_path_factory.getbasetemp().parent / "kernels")
