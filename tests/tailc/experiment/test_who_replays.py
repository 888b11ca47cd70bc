"""Only experiments and the models themselves run engines: everybody else asks an experiment."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import tailc

ROOT = Path(tailc.__file__).parent
# Those that may: the models themselves, and the room that replays them.
ROOMS = ("models", "experiment")
ENGINE_NAMES = ("engine", "plant", "replay", "static_shares")
ENGINE_MODULES = {
    f"tailc.models.{path.parent.name}.{path.stem}"
    for path in (ROOT / "models").glob("*/*.py")
    if path.stem in ENGINE_NAMES
}


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Every module outside those rooms that has a word of an engine, by its path, parsed."""
    names = (path.relative_to(ROOT) for path in sorted(ROOT.rglob("*.py")))
    texts = {
        name.as_posix(): (ROOT / name).read_text(encoding="utf-8")
        for name in names
        if name.parts[0] not in ROOMS
    }
    return [
        (name, ast.parse(text))
        for name, text in texts.items()
        if any(word in text for word in ENGINE_NAMES)
    ]


def methods_called(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr


def imported(module: ast.Module) -> Iterator[str]:
    """Modules, and what is taken from them, which may be modules too."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def calls_of(module: ast.Module, method: str, attribute: str) -> tuple[int, int]:
    """How many calls of a method there are, and on how many an attribute follows."""
    calls = [
        node
        for node in ast.walk(module)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
    ]
    followed = [
        node.value
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and node.attr == attribute
    ]
    return len(calls), sum(call in followed for call in calls)


def test_nobody_else_replays():
    assert [name for name, module in modules() if "replay" in methods_called(module)] == []


def test_every_execution_model_has_an_engine_or_uses_that_of_another():
    models = {module.split(".")[2] for module in ENGINE_MODULES}
    assert models == {
        "shared_cores", "core_types", "core_queues", "cpu_shares", "rigid_jobs", "malleable_jobs",
        "token_batches",
    }  # fmt: skip


def test_nobody_else_imports_an_engine():
    found = [name for name, module in modules() if ENGINE_MODULES & set(imported(module))]
    assert found == []


def test_look_ups_are_asked_of_the_arrays_of_an_engine_alone():
    engines = {
        name: calls_of(module, "engine", "arrays")
        for name, module in modules()
        if "engine" in methods_called(module)
    }
    assert list(engines) == ["diff/decisions.py"]
    asked, of_arrays = engines["diff/decisions.py"]
    assert asked == of_arrays


def test_a_replay_elsewhere_would_be_found():
    module = ast.parse(
        "from tailc.models.core_types import engine\n"
        "subject.engine(1, 2).replay(load, order, at, 0)\n"
        "subject.engine(1, 2).arrays\n"
    )
    assert {"engine", "replay"} <= set(methods_called(module))
    assert ENGINE_MODULES & set(imported(module))
    assert calls_of(module, "engine", "arrays") == (2, 1)
