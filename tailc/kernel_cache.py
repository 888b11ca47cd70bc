"""Give numba a folder for compiled kernels if it has none, and detect damaged files in it.

numba stores kernels next to the sources or in the user's cache folder. It refuses to compile if
neither can be written, as in many containers.

Each file ends with the SHA-256 of its other bytes. A file without it counts as missing, so its
kernel is compiled again. numba alone ignores bytes after its own, and can read such files.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
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
_USED = ("_open_for_write", "_load_index", "_load_data", "_data_path")
_DIGEST_BYTES = hashlib.sha256().digest_size


def ensure_kernel_cache() -> None:
    """Set the cache of numba to a temporary folder of this process if the usual ones are read-only.

    The folder is private and removed at the end of the process, because it contains code: a shared
    temporary folder would be unsafe. An existing NUMBA_CACHE_DIR is unchanged. Damaged files in the
    cache count as missing.
    """
    seal_cached_kernels()
    if "NUMBA_CACHE_DIR" in os.environ or any(map(_is_writable, _usual_places())):
        return
    folder = tempfile.mkdtemp(prefix="tailc-kernels-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = folder
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = folder


def _usual_places() -> tuple[Path, Path]:
    # Unlike Path's, this expansion does not raise where there is no home.
    home = os.path.expanduser("~")  # noqa: PTH111
    return Path(__file__).parent, Path(os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache")


def _is_writable(folder: Path) -> bool:
    """Whether files can be created in the folder, or in its nearest existing parent."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK | os.X_OK)


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
    files = getattr(caching, "IndexDataCacheFile", None)
    if files is None or not all(hasattr(files, name) for name in _USED):
        return  # These names are private: a numba without them stores kernels as before.
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
