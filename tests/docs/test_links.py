"""What the README and CONTRIBUTING name exists; links between pages are checked by the build."""

from __future__ import annotations

import re

from tests.docs.blocks import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", README)
    local = [target for target in targets if "://" not in target]
    assert local
    assert [target for target in local if not (ROOT / target).exists()] == []


def test_every_place_in_contributing_is_a_folder() -> None:
    table = CONTRIBUTING[CONTRIBUTING.index("| place |") :]
    places = re.findall(r"`([^`]+)`", "\n".join(row.split(" | ")[0] for row in table.splitlines()))
    assert len(places) > 10
    assert [place for place in places if not (ROOT / place).is_dir()] == []


def test_contributing_names_every_room() -> None:
    rooms = {path.parent.name for path in (ROOT / "tailc").glob("*/__init__.py")}
    assert [room for room in sorted(rooms) if f"`tailc/{room}`" not in CONTRIBUTING] == []


def test_no_page_has_the_marks_of_an_unfinished_merge() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("runtimes/*/*.md")]
    assert ROOT / "CHANGELOG.md" in pages
    marks = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)
    assert [page for page in pages if marks.search(page.read_text(encoding="utf-8"))] == []
