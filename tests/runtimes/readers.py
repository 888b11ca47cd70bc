"""The runtimes that are compiled, by language; the one that takes longest to build comes last."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.runtimes import cpp, go, java, rust
from tests.runtimes.conformance import Reader

READERS: dict[str, Callable[[pytest.TempPathFactory], Reader]] = {
    "rust": rust.reader,
    "go": go.reader,
    "java": java.reader,
    "cpp": cpp.reader,
}
