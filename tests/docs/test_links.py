"""What the README points at is there; links between pages are checked when they are built."""

from __future__ import annotations

import re

from tests.docs.blocks import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", README)
    local = [target for target in targets if "://" not in target]
    assert local
    assert [target for target in local if not (ROOT / target).exists()] == []


def test_every_place_in_the_readme_is_a_folder() -> None:
    table = README[README.index("| place |") : README.index("## Documentation")]
    places = re.findall(r"`([^`]+)`", "\n".join(row.split(" | ")[0] for row in table.splitlines()))
    assert len(places) > 10
    assert [place for place in places if not (ROOT / place).is_dir()] == []


def test_the_readme_names_every_room() -> None:
    rooms = {path.parent.name for path in (ROOT / "tailc").glob("*/__init__.py")}
    assert [room for room in sorted(rooms) if f"`tailc/{room}`" not in README] == []
