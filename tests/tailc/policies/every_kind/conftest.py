"""The small instance of each kind. No test here names a kind: they come from the scan."""

from __future__ import annotations

import pytest

from tailc.policies import KINDS
from tests.tailc.policies.compiled import Compiled, compiled_kind


@pytest.fixture(scope="package", params=sorted(KINDS))
def compiled(request, tmp_path_factory) -> Compiled:
    return compiled_kind(tmp_path_factory, request.param)
