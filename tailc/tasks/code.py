"""Digest of the code of tailc, which tells two versions on different machines apart."""

from __future__ import annotations

import functools
import hashlib
from importlib.util import find_spec
from pathlib import Path

_PACKAGES = ("tailc", "tailc_solvers")


@functools.cache
def code_digest() -> str:
    """Hex SHA-256 of the names and contents of all Python files of tailc."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent
        for path in sorted(folder.rglob("*.py")):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{package}/{path.relative_to(folder).as_posix()} {content}\n".encode())
    return digest.hexdigest()
