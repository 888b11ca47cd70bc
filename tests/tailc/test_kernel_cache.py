import os
from pathlib import Path
from types import ModuleType

import pytest

from tailc import kernel_cache
from tailc.kernel_cache import ensure_kernel_cache


@pytest.fixture
def environment(monkeypatch):
    """The environment without a cache folder, restored afterwards."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.delitem(kernel_cache.sys.modules, "numba", raising=False)
    return monkeypatch


def test_where_nothing_can_be_written_kernels_get_a_private_folder(environment):
    environment.setattr(kernel_cache, "_is_writable", lambda _folder: False)
    ensure_kernel_cache()
    folder = Path(os.environ["NUMBA_CACHE_DIR"])
    assert folder.is_dir()
    assert folder.stat().st_mode & 0o077 == 0


def test_the_usual_places_are_left_to_numba(environment):
    environment.setattr(kernel_cache, "_is_writable", lambda folder: ".cache" in str(folder))
    environment.setenv("XDG_CACHE_HOME", "/nowhere/.cache")
    ensure_kernel_cache()
    assert "NUMBA_CACHE_DIR" not in os.environ


def test_a_folder_that_can_be_made_counts_as_writable(tmp_path):
    assert kernel_cache._is_writable(tmp_path / "not/there/yet")


@pytest.mark.parametrize("gone", kernel_cache._USED)
def test_a_numba_with_other_private_names_is_unchanged(gone):
    files = type("Files", (), dict.fromkeys({*kernel_cache._USED} - {gone}, len))
    before = dict(vars(files))
    caching = ModuleType("caching")
    kernel_cache._seal(caching)
    caching.IndexDataCacheFile = files
    kernel_cache._seal(caching)
    assert dict(vars(files)) == before
