"""Give numba a folder for compiled kernels if it has none.

numba stores them next to the sources or in the user's cache folder. It refuses to compile if
neither can be written, as in many containers.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

from tailc.sealed_kernels import seal_cached_kernels


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
