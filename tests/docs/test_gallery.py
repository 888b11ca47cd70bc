"""The pictures of the gallery are what the code draws today."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.blocks import ROOT

GALLERY = ROOT / "docs" / "gallery"
LARGEST_BYTES = 600_000


@pytest.fixture(scope="module")
def gallery() -> ModuleType:
    """The script beside the page."""
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "docs" / "gallery.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_picture_is_as_it_is_drawn_today(gallery: ModuleType, tmp_path: Path) -> None:
    gallery.main(tmp_path)
    drawn = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_bytes() for path in GALLERY.glob("*.svg")}
    assert sorted(drawn) == sorted(kept)
    stale = [name for name in sorted(kept) if kept[name] != drawn[name]]
    assert stale == [], "draw them anew: python docs/gallery.py"


def test_the_pictures_are_small_and_load_nothing() -> None:
    texts = [path.read_text(encoding="utf-8") for path in GALLERY.glob("*.svg")]
    assert len(texts) > 15
    assert sum(map(len, texts)) < LARGEST_BYTES
    assert [text for text in texts if "href" in text or "<script" in text or "url(" in text] == []


def test_a_command_without_a_page_and_a_picture_that_is_not_on_it_are_refused(
    gallery: ModuleType,
) -> None:
    with pytest.raises(ValueError, match=r"ended with 66 and no page:\n.*nowhere"):
        list(gallery.pictures("$ tailc report nowhere.tailc -o build/a.html\n"))
    with pytest.raises(ValueError, match="there is no picture `map-9`"):
        gallery.alone("map-9", "<html></html>")
