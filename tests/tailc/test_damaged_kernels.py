"""A damaged file of compiled kernels is compiled again, and never run."""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from numba.core.caching import IndexDataCacheFile

from tailc.kernel_cache import seal_cached_kernels

# A library of one kernel, used as the command line and its worker processes use theirs.
KERNEL = """
import numba

@numba.njit(cache=True)
def twice(x):
    return 2 * x
"""
USE = """
from tailc.kernel_cache import ensure_kernel_cache
ensure_kernel_cache()
from kernel import twice
assert twice(21) == 42
print(*twice.stats.cache_hits.values())
"""


def use(folder: Path) -> str:
    """`1` if the kernel was in the cache."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", USE]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def truncate(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content))]


def flip(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


def zero(content: bytes, _rng: random.Random) -> bytes:
    return bytes(len(content))


def without_digest(content: bytes, _rng: random.Random) -> bytes:
    """As another version wrote it."""
    return content[:-32]


DAMAGES = [truncate, flip, zero, without_digest]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("suffix", ["nbc", "nbi"])
def test_a_damaged_file_counts_as_missing_until_it_is_written_again(
    damage: Callable[[bytes, random.Random], bytes], suffix: str, tmp_path: Path
) -> None:
    seal_cached_kernels()
    cache = IndexDataCacheFile(str(tmp_path), "kernel", source_stamp=1)
    rng = random.Random(1)
    for _ in range(20):
        cache.save("signature", {"code": 1})
        assert cache.load("signature") == {"code": 1}
        (path,) = tmp_path.glob(f"*.{suffix}")
        path.write_bytes(damage(path.read_bytes(), rng))
        assert cache.load("signature") is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "kernel.py").write_text(KERNEL)
    assert use(folder) == ""
    return folder


@pytest.mark.fuzz
@pytest.mark.parametrize("suffix", ["nbc", "nbi"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_kernel_is_compiled_again(
    damage: Callable[[bytes, random.Random], bytes], suffix: str, folder: Path
) -> None:
    rng = random.Random(1)
    assert use(folder) == "1"
    (path,) = (folder / "cache").rglob(f"*.{suffix}")
    path.write_bytes(damage(path.read_bytes(), rng))
    assert use(folder) == ""
    assert use(folder) == "1"
