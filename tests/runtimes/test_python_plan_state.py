"""States of plans that the Python runtime reads and writes, in both encodings, as `tailc` does."""

from __future__ import annotations

import pytest
from tailc_runtime import BadMeaning, BadStructure, BegunJob, PlanState, read_state, write_state
from tailc_runtime.errors import PolicyError

from tailc.artifact.state_flat import encode_state
from tailc.artifact.state_json import read_state as read_by_compiler
from tailc.artifact.state_json import state_text
from tailc.errors import Code, TailcError
from tests.runtimes.no_states import NO_OBJECTS, STATES, least_state, no_states

NAMES = sorted(path.stem for path in STATES.glob("*.json"))
REFUSED = sorted((STATES / "refused").glob("*.tailc"))


@pytest.mark.parametrize("name", NAMES)
def test_both_encodings_are_one_state_and_are_written_with_the_same_bytes(name, tmp_path):
    in_json, flat = STATES / f"{name}.json", STATES / f"{name}.tailc"
    state = read_state(flat)
    assert read_state(in_json) == state == read_state(flat.read_bytes())
    for path in (in_json, flat):
        write_state(state, tmp_path / path.name)
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
    compiled = read_by_compiler("state", flat.read_bytes())
    assert compiled == read_by_compiler("state", in_json.read_bytes())
    assert encode_state(compiled) == flat.read_bytes()
    assert state_text(compiled).encode() == in_json.read_bytes()


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_a_damaged_state_is_refused_by_its_word(path):
    with pytest.raises(PolicyError) as caught:
        read_state(path)
    assert path.stem.startswith(caught.value.name)
    with pytest.raises(TailcError) as found:
        read_by_compiler(str(path), path.read_bytes())
    assert [one.code for one in found.value.findings] == [Code.BAD_STATE]


def test_every_flipped_byte_is_refused():
    whole = (STATES / "every.tailc").read_bytes()
    for at in range(len(whole)):
        with pytest.raises(PolicyError):
            read_state(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])


@pytest.mark.parametrize("data", no_states())
def test_json_that_is_no_state_is_refused(data):
    with pytest.raises((BadStructure, BadMeaning)):
        read_state(data)
    with pytest.raises(TailcError) as caught:
        read_by_compiler("state", data)
    assert [one.code for one in caught.value.findings] == [Code.BAD_STATE]


@pytest.mark.parametrize("data", NO_OBJECTS)
def test_a_file_that_is_no_object_is_refused(data):
    with pytest.raises(BadStructure):
        read_state(data)


def test_lists_and_green_slots_that_are_absent_are_empty():
    data = least_state()
    assert read_state(data) == PlanState(1, 1, 2, (BegunJob("a", 0, (1,)),))
    assert encode_state(read_by_compiler("s", data)) == read_state(data).to_flat()


def test_a_state_that_contradicts_itself_is_not_made():
    job = BegunJob("a", 10, (0,))
    with pytest.raises(BadMeaning, match="same server"):
        PlanState(10, 10, 2, (job, BegunJob("b", 10, (0,))))
    with pytest.raises(BadMeaning, match="named once"):
        PlanState(10, 10, 2, (job,), waiting=("a",))
    with pytest.raises(BadMeaning, match="`waiting` or `refused` must be UTF-8"):
        PlanState(10, 10, 2, (job,), waiting=("",))
    with pytest.raises(BadMeaning, match="0 to 2"):
        PlanState(10, 10, 2, battery_mj=2**53)
    assert PlanState(10, 10, 3, (job,)).asleep == (1, 2)


def test_a_state_has_the_permissions_of_a_new_file(tmp_path):
    write_state(PlanState(1, 1, 1), tmp_path / "state.json")
    (tmp_path / "other").touch()
    assert (tmp_path / "state.json").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "state.json"
    write_state(PlanState(1, 1, 1), path)
    before = path.read_bytes()
    monkeypatch.setattr("tailc_runtime.plan_state.os.fsync", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_state(PlanState(2, 2, 2), path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["state.json"]
