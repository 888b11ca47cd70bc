import ast
from pathlib import Path

import tailc.policies
from tailc.policies import KINDS


def test_every_folder_of_policies_is_found_as_a_kind() -> None:
    folders = {
        path.parent.name.replace("_", "-")
        for path in Path(tailc.policies.__file__).parent.glob("*/__init__.py")
    }
    assert set(KINDS) == folders


def test_kinds_come_in_order_of_name_and_know_their_own() -> None:
    kinds = KINDS
    assert list(kinds) == sorted(kinds)
    assert all(kind.name == name for name, kind in kinds.items())


def test_the_model_of_a_kind_is_for_that_kind_only() -> None:
    for name, kind in KINDS.items():
        assert kind.spec_model.model_json_schema()["properties"]["kind"]["const"] == name


def test_no_code_beside_the_folder_of_a_kind_asks_for_the_kind() -> None:
    """Neither by its name, as in a comparison or a table, nor by importing it."""
    kinds = set(KINDS)
    root = Path(tailc.policies.__file__).parents[1]
    outside = [path for path in root.rglob("*.py") if root / "policies" not in path.parents]
    assert len(outside) > len(kinds)
    folders = {f"tailc.policies.{name.replace('-', '_')}" for name in kinds}
    asked = [
        f"{path.relative_to(root)}:{node.lineno}"
        for path in outside
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Constant) and node.value in kinds)
        or (isinstance(node, ast.ImportFrom) and node.module in folders)
    ]
    assert asked == []
