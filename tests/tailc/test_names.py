"""Names of the code: a class name means one thing, and no name is a participle or preposition."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import tailc_solvers

import tailc

ROOTS = [Path(tailc.__file__).parent, Path(tailc_solvers.__file__).parent]
DEFINITION = re.compile(r"^ *(class|def) (\w+)", re.MULTILINE)
# Alone, these do not say what is computed.
VAGUE = """
after asked at before beside by carried drawn for found from given held judged kept known made
met of on over said seen shown stated taken told tried until with within without written
"""


def definitions() -> Iterator[tuple[str, str, str]]:
    """The file, keyword and name of each class and function, without generated code."""
    for root in ROOTS:
        for path in sorted(root.rglob("*.py")):
            if path.parent.name != "_generated":
                file = path.relative_to(root.parent).as_posix()
                for keyword, name in DEFINITION.findall(path.read_text(encoding="utf-8")):
                    yield file, keyword, name


def test_no_class_name_is_used_twice() -> None:
    uses = Counter(name for _, keyword, name in definitions() if keyword == "class")
    assert [name for name, count in uses.items() if count > 1] == []


def is_vague(name: str) -> bool:
    return name.strip("_").lower() in VAGUE.split()


@pytest.mark.parametrize("name", ["told", "_Found", "of"])
def test_a_participle_or_preposition_is_vague(name: str) -> None:
    assert is_vague(name)
    assert not is_vague(f"{name}_rows")


def test_no_class_function_or_module_has_a_vague_name() -> None:
    names = {(file, name) for file, _, name in definitions()}
    modules = {(file, Path(file).stem) for file, _ in names}
    assert [found for found in sorted(names | modules) if is_vague(found[1])] == []
