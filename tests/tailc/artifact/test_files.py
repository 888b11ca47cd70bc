from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tailc.artifact import files
from tailc.artifact.files import paths_of, read_policy, read_whole, write_policy
from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.errors import Code, TailcError
from tests.tailc.artifact.published import ROOT, VECTORS, lucene_policy, small_policy


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def code_of_reading(path: Path) -> Code:
    with pytest.raises(TailcError) as caught:
        read_policy(path)
    assert all(finding.help for finding in caught.value.findings)
    return caught.value.findings[0].code


def test_a_policy_is_read_back_from_either_file_or_the_stem(tmp_path: Path) -> None:
    json_path, flat_path = write_policy(lucene_policy(), tmp_path / "websearch")
    assert [json_path.name, flat_path.name] == ["websearch.json", "websearch.tailc"]
    assert json_path.read_bytes() == encode_json(lucene_policy())
    assert flat_path.read_bytes() == encode_flat(lucene_policy())
    for path in (json_path, flat_path, tmp_path / "websearch"):
        assert read_policy(path) == lucene_policy()


def test_a_policy_is_read_with_its_digest_and_the_bytes_for_a_runtime(tmp_path: Path) -> None:
    json_path, flat_path = write_policy(lucene_policy(), tmp_path / "p")
    digest = json.loads(json_path.read_bytes())["policy_digest"]
    whole = (lucene_policy(), digest, flat_path.read_bytes())
    assert read_whole(json_path) == read_whole(flat_path) == read_whole(tmp_path / "p") == whole


def test_the_bytes_of_a_signed_policy_keep_the_signature() -> None:
    path = VECTORS / "signed" / "good.tailc"
    assert read_whole(path)[2] == path.read_bytes()


def test_a_stem_reads_the_tailc_file_which_is_the_authority(tmp_path: Path) -> None:
    write_policy(lucene_policy(), tmp_path / "p")
    (tmp_path / "p.json").write_bytes(encode_json(small_policy()))
    assert read_policy(tmp_path / "p") == lucene_policy()


def test_the_encoding_is_told_by_content_and_not_by_name(tmp_path: Path) -> None:
    json_path, flat_path = write_policy(lucene_policy(), tmp_path / "p")
    shutil.move(json_path, tmp_path / "a.tailc")
    shutil.move(flat_path, tmp_path / "b.json")
    assert read_policy(tmp_path / "a.tailc") == read_policy(tmp_path / "b.json")


@pytest.mark.parametrize("stem", ["dir.d/p", "dir.d/p.json", "dir.d/p.tailc"])
def test_a_stem_may_carry_either_suffix(stem: str) -> None:
    assert paths_of(stem) == (Path("dir.d/p.json"), Path("dir.d/p.tailc"))


def test_a_dot_in_a_stem_is_part_of_its_name() -> None:
    assert paths_of("v1.2")[1] == Path("v1.2.tailc")


def test_a_missing_file_and_a_folder_cannot_be_read(tmp_path: Path) -> None:
    assert code_of_reading(tmp_path / "missing.tailc") is Code.CANNOT_READ
    assert code_of_reading(tmp_path) is Code.CANNOT_READ


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", Code.LENGTH_MISMATCH),
        (b"apiVersion: tailc/v1\n", Code.BAD_ARTIFACT),
        (b"demand_ms\n1\n", Code.BAD_ARTIFACT),
        (b'x"policy_digest":"00"}', Code.BAD_STRUCTURE),
    ],
)
def test_a_file_that_is_neither_encoding_is_refused(
    tmp_path: Path, content: bytes, code: Code
) -> None:
    (tmp_path / "p.tailc").write_bytes(content)
    assert code_of_reading(tmp_path / "p.tailc") is code


def test_a_file_beyond_the_size_limit_is_not_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, path = write_policy(lucene_policy(), tmp_path / "p")
    monkeypatch.setattr(files, "MOST_BYTES", 1_000)
    assert code_of_reading(path) is Code.BAD_STRUCTURE


def test_a_writer_killed_at_any_operation_leaves_old_or_new_files(tmp_path: Path) -> None:
    old, new = lucene_policy(), replace(lucene_policy(), generation=2)
    write_policy(old, tmp_path / "old")
    write_policy(new, tmp_path / "new")
    command = [sys.executable, "-m", "tests.tailc.artifact.kill_writer", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    children = int(done.stdout)
    # Two files opened, written, fsynced and closed; their folder opened, two renames with its
    # fsync each, and closed.
    assert children == 1 + 8 + 1 + 2 * 2 + 1
    states = []
    for number in range(children):
        pair = [read_policy(tmp_path / str(number) / f"p{s}") for s in (".json", ".tailc")]
        states.append(tuple("new" if policy == new else "old" for policy in pair))
        assert all(policy in (old, new) for policy in pair), f"killed before operation {number}"
    assert states == sorted(states, key=lambda state: state.count("new"))
    # The .tailc is last: where it is new, the .json is.
    assert ("old", "new") not in states
    assert states[0] == ("old", "old")
    assert states[-1] == ("new", "new")


@pytest.mark.parametrize("kills", [40, pytest.param(10_000, marks=pytest.mark.fuzz)])
def test_a_writer_killed_at_a_random_time_leaves_whole_files(tmp_path: Path, kills: int) -> None:
    write_policy(lucene_policy(), tmp_path / "old")
    write_policy(replace(lucene_policy(), generation=2), tmp_path / "new")
    command = [sys.executable, "-m", "tests.tailc.artifact.random_kills"]
    command += [str(tmp_path), str(kills), "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    left = json.loads(done.stdout)
    # A file that is neither policy ends the process with an error.
    assert sum(count for pair, count in left.items() if pair != "temporary files") == kills
    if kills > 1_000:
        # Kills hit the time between both renames, and that of unfinished files.
        assert left["temporary files"] > 0
        assert left.get("01", 0) + left.get("10", 0) > 0


def test_after_a_finished_write_no_temporary_is_left(tmp_path: Path) -> None:
    write_policy(lucene_policy(), tmp_path / "p")
    write_policy(small_policy(), tmp_path / "p")
    assert names_in(tmp_path) == ["p.json", "p.tailc"]
    assert read_policy(tmp_path / "p") == small_policy()


def test_a_file_may_be_read_while_it_is_replaced_again_and_again(tmp_path: Path) -> None:
    """What was opened stays whole: a rename puts a new file beside it, never new bytes in it."""
    _, path = write_policy(lucene_policy(), tmp_path / "p")
    with path.open("rb") as file:
        begin = file.read(100)
        write_policy(small_policy(), tmp_path / "p")
        assert begin + file.read() == (VECTORS / "lucene.tailc").read_bytes()
