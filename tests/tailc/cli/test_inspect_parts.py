"""`tailc inspect --parts`: the parts of a file, and where it is damaged."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.tailc.artifact.published import ROOT, VECTORS

SEARCH = ROOT / "examples" / "search"


@pytest.fixture
def copied_policy(in_folder):
    for suffix in (".tailc", ".json"):
        shutil.copy(SEARCH / f"expected{suffix}", in_folder)
    return in_folder / "expected.tailc"


def test_the_parts_are_the_whole_file(in_folder, tailc):
    path = VECTORS / "signed" / "good.tailc"
    ended = tailc("inspect", str(path), "--parts", "--output-format", "json")
    parts = json.loads(ended.out)["result"]["parts"]
    assert [part["name"] for part in parts[-3:]] == ["policy_digest", "seal", "signature"]
    ends = [part["at"] + part["bytes"] for part in parts]
    assert [part["at"] for part in parts] == [0, *ends[:-1]]
    assert ends[-1] == path.stat().st_size


@pytest.mark.parametrize(("at", "part"), [(0, "head"), (900, "evidence"), (3_540, "seal")])
def test_damage_is_found_by_the_json_file(copied_policy, tailc, at, part):
    data = bytearray(copied_policy.read_bytes())
    data[at] ^= 1
    copied_policy.write_bytes(data)
    ended = tailc("inspect", "expected", "--parts")
    assert ended.code == 5
    assert f"at byte {at:,}, in `{part}`" in ended.err
    assert "first bytes" in ended.out


def test_without_the_json_file_a_wrong_structure_has_its_place(copied_policy, tailc):
    copied_policy.with_suffix(".json").unlink()
    data = bytearray(copied_policy.read_bytes())
    # The root offset then points beyond the file.
    data[3] = 0x7F
    copied_policy.write_bytes(data)
    ended = tailc("inspect", "expected.tailc", "--parts")
    assert ended.code == 5
    assert "the structure is wrong at byte 0, or in what leads there" in ended.err


def test_a_json_file_has_no_parts(copied_policy, tailc):
    ended = tailc("inspect", "expected.json", "--parts")
    assert (ended.code, "is no `.tailc` file" in ended.err) == (65, True)
