import gc
import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from tests.importing import import_from_the_end
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


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """What is imported and collected stays: nobody looks through it for garbage."""
    gc.disable()
    import_from_the_end(session.config.args)
    collected = yield
    gc.freeze()
    gc.enable()
    return collected
