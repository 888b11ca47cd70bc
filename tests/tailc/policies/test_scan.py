from pathlib import Path

import tailc.policies
from tailc.policies import find_kinds


def test_every_folder_of_policies_is_found_as_a_kind() -> None:
    folders = {
        path.parent.name.replace("_", "-")
        for path in Path(tailc.policies.__file__).parent.glob("*/__init__.py")
    }
    assert set(find_kinds()) == folders


def test_kinds_come_in_order_of_name_and_know_their_own() -> None:
    kinds = find_kinds()
    assert list(kinds) == sorted(kinds)
    assert all(kind.name == name for name, kind in kinds.items())


def test_the_model_of_a_kind_is_for_that_kind_only() -> None:
    for name, kind in find_kinds().items():
        assert kind.spec_model.model_json_schema()["properties"]["kind"]["const"] == name
