"""Import numba without scipy.linalg, which takes longer than all of numba's array functions.

numba imports it to find out whether kernels may use BLAS; no kernel here does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_ASKS, _FOR = "numba.np.arraymath", "scipy.linalg"


def import_numba_without_blas() -> None:
    """Make later imports of numba in this process skip scipy.linalg.

    A program that uses the library may have kernels with BLAS, so only the command line calls this.
    """
    if _ASKS not in sys.modules and _FOR not in sys.modules:
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _ASKS:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _WithoutBlas(spec.loader)
        return spec


class _WithoutBlas(Loader):
    """Loader that runs a module while imports of scipy.linalg raise ImportError."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if _FOR in sys.modules:
            self._loader.exec_module(module)
            return
        sys.modules[_FOR] = None  # pyright: ignore[reportArgumentType]
        try:
            self._loader.exec_module(module)
        finally:
            del sys.modules[_FOR]
