"""Import numba without scipy.linalg, and load compiled kernels without the compiler's own imports.

numba imports scipy.linalg to find out whether kernels may use BLAS, which takes longer than all of
its array functions; no kernel here does. Before it loads the first kernel from its cache, it
imports and registers everything that it can compile, which takes longer than most commands.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numba.core.base import BaseContext
    from numba.core.caching import Cache

_BLAS = "scipy.linalg"


def make_numba_light() -> None:
    """Make later imports of numba in this process faster, by leaving out what no kernel here uses.

    A program that uses the library may have kernels with BLAS, so only the command line calls this.
    """
    ways: dict[str, Run] = {"numba.core.caching": _without_registries}
    if _BLAS not in sys.modules:
        ways["numba.np.arraymath"] = _without_blas
    sys.meta_path.insert(0, _Finder(ways))


Run = Callable[[ModuleType, Loader], None]


def _without_blas(module: ModuleType, loader: Loader) -> None:
    """Run the module while imports of scipy.linalg raise ImportError."""
    if _BLAS in sys.modules:
        loader.exec_module(module)
        return
    sys.modules[_BLAS] = None  # pyright: ignore[reportArgumentType]
    try:
        loader.exec_module(module)
    finally:
        del sys.modules[_BLAS]


def _without_registries(module: ModuleType, loader: Loader) -> None:
    """Run the module of caches; then a kernel is loaded with the runtime of numba alone.

    `refresh` registers what compiles, and each compilation calls it too. A later numba that has
    other names for these loads kernels as it does by itself.
    """
    loader.exec_module(module)
    try:
        load_overload = module.Cache.load_overload
    except AttributeError:
        return

    def load(cache: Cache, signature: object, context: BaseContext) -> object:
        try:
            from numba.core.runtime.nrt import rtsys
        except ImportError:
            return load_overload(cache, signature, context)
        rtsys.initialize(context)
        context.refresh = lambda: None
        try:
            return load_overload(cache, signature, context)
        finally:
            del context.refresh

    module.Cache.load_overload = load


class _Finder(MetaPathFinder):
    """Finder of the modules that are run in another way, each once."""

    def __init__(self, ways: dict[str, Run]) -> None:
        self._ways = ways

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        run = self._ways.pop(name, None)
        if run is None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _OtherLoader(spec.loader, run)
        return spec


class _OtherLoader(Loader):
    """Loader that runs a module in another way."""

    def __init__(self, loader: Loader, run: Run) -> None:
        self._loader, self._run = loader, run

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._run(module, self._loader)
