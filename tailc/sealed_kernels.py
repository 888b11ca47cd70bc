"""Detect damaged files of numba's cache of compiled kernels.

Each file ends with the SHA-256 of its other bytes. A file without it counts as missing, so its
kernel is compiled again. numba alone ignores bytes after its own, and can read such files.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numba.core.caching import IndexDataCacheFile

_CACHING = "numba.core.caching"
_DIGEST_BYTES = hashlib.sha256().digest_size


def seal_cached_kernels() -> None:
    """Make numba in this process write and require the digests, from when it is imported."""
    if any(isinstance(finder, _CacheFinder) for finder in sys.meta_path):
        return
    if _CACHING in sys.modules:
        _seal(sys.modules[_CACHING])
    else:
        sys.meta_path.insert(0, _CacheFinder())


def _is_sealed(path: Path) -> bool:
    """Whether the file exists and ends with the digest of its other bytes."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return False
    return hashlib.sha256(content[:-_DIGEST_BYTES]).digest() == content[-_DIGEST_BYTES:]


def _seal(caching: ModuleType) -> None:
    files = caching.IndexDataCacheFile
    if files._load_data.__module__ == __name__:
        return
    open_for_write, load_index, load_data = (
        files._open_for_write,
        files._load_index,
        files._load_data,
    )

    @contextmanager
    def open_sealed(self: IndexDataCacheFile, path: str) -> Iterator[BytesIO]:
        content = BytesIO()
        yield content
        data = content.getvalue()
        with open_for_write(self, path) as file:
            file.write(data + hashlib.sha256(data).digest())

    def load_sealed_index(self: IndexDataCacheFile) -> object:
        return load_index(self) if _is_sealed(Path(self._index_path)) else {}

    def load_sealed_data(self: IndexDataCacheFile, name: str) -> object:
        path = Path(self._data_path(name))
        if not _is_sealed(path):
            # After this error numba compiles the kernel and writes the file again.
            raise FileNotFoundError(path)
        return load_data(self, name)

    files._open_for_write = open_sealed
    files._load_index = load_sealed_index
    files._load_data = load_sealed_data


class _CacheFinder(MetaPathFinder):
    """Finder of numba's module of caches, once; other finders find the module itself."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name != _CACHING:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _SealingLoader(spec.loader)
        return spec


class _SealingLoader(Loader):
    """Loader that changes the module after it has run."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        _seal(module)
