import sys

import pytest

from tailc.report.plotting import needing_plots


def broken():
    raise ImportError("libpng16.so.16: cannot open shared object file")


def test_a_broken_library_is_named_as_one_that_is_missing_is():
    with pytest.raises(ImportError, match="libpng16") as caught, needing_plots():
        broken()
    assert caught.value.name == "matplotlib"


def test_a_picture_without_its_library_is_a_missing_part(tmp_path, monkeypatch, tailc):
    for part in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, part)
    folder = tmp_path / "matplotlib"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise ImportError('libpng16.so.16: cannot open')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    words = ("tune", "pid", "--num", "1", "--den", "1 3 3 1", "--picture", tmp_path / "picture.svg")
    ended = tailc(*words)
    assert ended.code == 69
    assert "needs `matplotlib`, which cannot be imported: libpng16.so.16" in ended.err
