"""A place for numba to keep compiled kernels, where it would find none.

numba keeps them beside the sources or under the user's cache folder, and refuses to compile at all
where neither can be written, as in many containers.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path


def ensure_kernel_cache() -> None:
    """Point numba to a folder of this process where the usual ones are read-only.

    The folder is private and goes with the process: kernels are code, and a shared temporary folder
    is no place to load code from. NUMBA_CACHE_DIR, where it is set, is left alone.
    """
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
    """Whether files can be made there, or in the nearest folder above that exists."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK | os.X_OK)
