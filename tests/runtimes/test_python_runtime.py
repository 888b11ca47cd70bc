"""The Python runtime against the vectors, against damage, and without numpy or the compiler."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import flatbuffers
import pytest
from tailc_runtime import (
    NOW,
    ON_EXIT,
    WAIT,
    BadStructure,
    HashMismatch,
    PolicyError,
    TailTable,
    Truncated,
    UnknownClass,
    open_policies,
    open_policy,
)
from tailc_runtime.opening import policy_from
from tailc_runtime.raw import SCHEMA_MINOR
from tailc_runtime.vectors import main, rows_of, wrong_answers, wrongly_opened

from tailc.artifact.files import write_policy
from tailc.artifact.json_form import decode_json
from tailc.artifact.seal import seal
from tailc.errors import TailcError
from tailc.forms.ladder.sharing import Sharing
from tests.runtimes.damage import damaged_payload
from tests.tailc.artifact.published import (
    ROOT,
    VECTORS,
    changed_json,
    sharing_policy,
    small_policy,
)

RUNTIME = ROOT / "runtimes" / "python"
SMALLEST = (VECTORS / "smallest.tailc").read_bytes()
SMALLEST_JSON = (VECTORS / "smallest.json").read_bytes()


def test_every_vector_is_answered_as_expected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(VECTORS)]) == 0
    assert capsys.readouterr().out.endswith("look-ups, 0 wrong\n")


def test_every_damaged_file_is_refused_as_expected() -> None:
    assert wrongly_opened(VECTORS / "refused") == []


def test_a_wrong_answer_is_reported_with_what_was_wanted() -> None:
    row = {"request_class": "", "load": "7", "waited_us": "0", "executed_us": "75000"}
    wrong = wrong_answers(
        VECTORS / "lucene.tailc", [{**row, "start": "now", "wait_us": "0", "rung": "2"}]
    )
    assert len(wrong) == 1
    assert "lookup(7, 0, 75000) is (0, 0, 3), wanted (0, 0, 2)" in wrong[0]


def test_a_look_up_says_start_wait_and_rung() -> None:
    """Haque et al., ASPLOS 2015, Table 2, rows 14 and 25."""
    table = open_policy(VECTORS / "lucene.tailc")
    assert table.lookup(14, 4_000, 0) == (WAIT, 6_000, 0)
    assert table.lookup(14, 10_000, 225_000) == (NOW, 0, 3)
    assert table.lookup(25, 0, 0) == (ON_EXIT, 0, 0)
    assert table.rungs == ("d1", "d2", "d3", "d4")
    assert (table.load_axis, table.quantum_us) == ("in_system", 5_000)
    assert table.boost == (0, 15_000_000)


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("name", ["lucene", "rate", "controller", "arrival", "coarse"])
def test_numbers_that_no_server_measures_have_a_documented_answer(name: str, place: int) -> None:
    table = open_policy(VECTORS / f"{name}.tailc")
    question = [3, 0, 20_000]

    def lookup(value: float) -> tuple[int, int, int]:
        asked: list = [*question]
        asked[place] = value
        return table.lookup(*asked)

    with pytest.raises(ValueError, match="nor NaN"):
        lookup(math.nan)
    with pytest.raises(ValueError, match="must not be negative"):
        lookup(-math.inf)
    assert lookup(10**30) == lookup(2**62)
    assert lookup(math.inf) == lookup(2**62)
    assert lookup(True) == lookup(1)
    assert lookup(-0) == lookup(0)


@pytest.mark.parametrize("query", [(-1, 0, 0), (0, -1, 0), (0, 0, -1)])
@pytest.mark.parametrize("name", ["lucene", "largest"])
def test_a_negative_argument_is_an_error_not_the_last_row(
    name: str, query: tuple[int, int, int]
) -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        open_policy(VECTORS / f"{name}.tailc").lookup(*query)


def test_a_class_without_a_ladder_of_its_own_uses_the_one_for_all() -> None:
    path = VECTORS / "classes.tailc"
    assert open_policy(path, "short").request_class == "short"
    assert open_policy(path, "long").request_class is None
    assert set(open_policies(path)) == {None, "short"}


def test_every_single_bit_flip_is_refused() -> None:
    for at in range(len(SMALLEST) * 8):
        flipped = bytearray(SMALLEST)
        flipped[at // 8] ^= 1 << at % 8
        with pytest.raises((HashMismatch, Truncated)):
            policy_from(bytes(flipped))


def test_every_single_bit_flip_of_the_json_is_refused() -> None:
    for at in range(len(SMALLEST_JSON) * 8):
        flipped = bytearray(SMALLEST_JSON)
        flipped[at // 8] ^= 1 << at % 8
        with pytest.raises(PolicyError):
            policy_from(bytes(flipped))


def opens(data: bytes) -> bool:
    """Whether it does, and can then be looked up; whatever is raised but a refusal is a bug."""
    try:
        opened = policy_from(data)
    except PolicyError:
        return False
    if isinstance(opened, TailTable):
        if opened.controller:
            assert 0 <= opened.controller.step(300_000, 10_000) <= 2_000_000
        assert opened.frequency_khz((5_000, 7), 9, 9) in opened.frequencies_khz
    tables = opened.values() if isinstance(opened, dict) else ()
    for table in tables:
        if table.controller:
            assert 0 <= table.controller.step(300_000, 10_000) <= 1_000_000
        assert table.lookup(5, 1, 2)[2] in range(len(table.rungs))
    return True


def test_sealed_nonsense_is_refused_or_can_be_looked_up() -> None:
    rng = Random(1)
    assert {opens(seal(damaged_payload(rng))) for _ in range(300)} == {True, False}


@pytest.mark.fuzz
def test_much_sealed_nonsense_is_refused_or_can_be_looked_up() -> None:
    rng = Random(2)
    assert {opens(seal(damaged_payload(rng))) for _ in range(30_000)} == {True, False}


@pytest.mark.parametrize("data", [SMALLEST, SMALLEST_JSON])
def test_every_truncation_and_every_appended_byte_is_refused(data: bytes) -> None:
    for length in range(len(data)):
        with pytest.raises(PolicyError):
            policy_from(data[:length])
    for byte in range(256):
        with pytest.raises(PolicyError):
            policy_from(data + bytes([byte]))


def test_a_refusal_names_the_file_and_a_missing_file_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(Truncated, match=r"truncated\.tailc: "):
        open_policy(VECTORS / "refused" / "truncated.tailc")
    with pytest.raises(FileNotFoundError):
        open_policy(tmp_path / "missing.tailc")


@pytest.mark.parametrize("suffix", ["tailc", "json"])
def test_what_rules_for_sharing_need_is_told_in_both_encodings(tmp_path: Path, suffix: str) -> None:
    write_policy(sharing_policy(Sharing(0, 8_000_000, 325_000)), tmp_path / "sharing")
    table = open_policy(tmp_path / f"sharing.{suffix}")
    assert {"start-below", "give-up"} < set(table.rules)
    assert table.sharing == (0, 8_000_000, 325_000, False)
    table = open_policy(VECTORS / f"lucene.{suffix}")
    assert table.sharing == (None, None, None, False)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"start_unit": 1}, "`start_unit` must be the number"),
        ({"start_below_ppm": 0}, "`start_below_ppm` must be at least 1"),
        ({"give_up_us": 0}, "`give_up_us` must be at least 1"),
    ],
)
def test_a_ladder_that_shares_what_it_cannot_is_refused(
    tmp_path: Path, change: dict[str, int], told: str
) -> None:
    policy = sharing_policy(Sharing(0, 8_000_000, 325_000))
    sharing = policy.ladders[0].sharing
    for name, value in change.items():
        object.__setattr__(sharing, name, value)
    write_policy(policy, tmp_path / "broken")
    with pytest.raises(PolicyError, match=told):
        open_policy(tmp_path / "broken.tailc")


def test_no_ladder_for_a_class_is_an_error(tmp_path: Path) -> None:
    policy = small_policy()
    short = tuple(ladder for ladder in policy.forms if ladder.request_class)
    _, path = write_policy(replace(policy, forms=short), tmp_path / "short")
    with pytest.raises(UnknownClass, match="no ladder for class `long`; there are `short`"):
        open_policy(path, "long")


def test_it_runs_the_vectors_with_nothing_but_flatbuffers_installed(tmp_path: Path) -> None:
    """No site packages: numpy, rfc8785 and tailc cannot be imported."""
    shutil.copytree(Path(flatbuffers.__file__).parent, tmp_path / "flatbuffers")
    shutil.copytree(RUNTIME / "tailc_runtime", tmp_path / "tailc_runtime")
    program = (
        "import importlib.util, sys\n"
        "for name in ('numpy', 'tailc', 'rfc8785', 'numba'):\n"
        "    assert importlib.util.find_spec(name) is None, name\n"
        "from tailc_runtime.vectors import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-S", "-c", program, str(VECTORS)]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_json_policies_need_only_the_standard_library(tmp_path: Path) -> None:
    shutil.copytree(RUNTIME / "tailc_runtime", tmp_path / "tailc_runtime")
    program = (
        "import sys, tailc_runtime\n"
        "table = tailc_runtime.open_policy(sys.argv[1])\n"
        "assert table.lookup(14, 4_000, 0) == (tailc_runtime.WAIT, 6_000, 0)\n"
        "assert 'flatbuffers' not in sys.modules\n"
    )
    command = [sys.executable, "-S", "-c", program, str(VECTORS / "lucene.json")]
    subprocess.run(command, env={**os.environ, "PYTHONPATH": str(tmp_path)}, check=True)


@pytest.mark.parametrize(("name", "bisections"), [("lucene", 1), ("rate", 2), ("largest", 2)])
def test_a_look_up_is_one_call_and_a_bisection(name: str, bisections: int) -> None:
    """How long that takes depends on the machine: bench/python_lookup.py measures it."""
    lookup = open_policy(VECTORS / f"{name}.tailc").lookup
    calls: list[str] = []
    sys.setprofile(lambda *event: calls.append(event[1]))
    try:
        lookup(14, 0, 120_000)
    finally:
        sys.setprofile(None)
    # The last call into C is that of sys.setprofile itself.
    assert calls.count("call") == 1
    assert calls.count("c_call") == bisections + 1


def changed(*steps: str | int, to: object, minor: int = 0, name: str = "lucene") -> bytes:
    def change(document: Any) -> None:
        document["schema"]["minor"] = minor
        for step in steps[:-1]:
            document = document[step]
        document[steps[-1]] = to

    return changed_json(change, name=name)


ROW = ("forms", 0, "rows", 0)


@pytest.mark.parametrize(
    "steps",
    [
        ("reviewed_by",),
        ("forms", 0, "colour"),
        ("forms", 0, "guard", "colour"),
        ("forms", 0, "boost", "colour"),
        ("forms", 0, "cost_units", 0, "colour"),
        ("forms", 0, "rungs", 0, "colour"),
        (*ROW, "colour"),
        (*ROW, "admission", "colour"),
        (*ROW, "climbs", 0, "colour"),
    ],
)
def test_an_unknown_member_is_refused_unless_a_later_minor_version_may_have_it(
    steps: tuple[str | int, ...],
) -> None:
    with pytest.raises(BadStructure, match=f"member `{steps[-1]}` does not exist"):
        policy_from(changed(*steps, to=3))
    assert policy_from(changed(*steps, to=3, minor=SCHEMA_MINOR + 1))[None].lookup(0, 0, 0)


@pytest.mark.parametrize(
    "steps",
    [
        ("forms", 0, "power", "colour"),
        ("forms", 0, "rungs", 1, "colour"),
        ("forms", 2, "colour"),
        ("forms", 2, "gains", 1, "colour"),
    ],
)
def test_an_unknown_member_of_a_controller_or_of_power_is_refused_alike(
    steps: tuple[str | int, ...],
) -> None:
    with pytest.raises(BadStructure, match="member `colour` does not exist"):
        policy_from(changed(*steps, to=3, minor=2, name="controller"))
    tables = policy_from(changed(*steps, to=3, minor=SCHEMA_MINOR + 1, name="controller"))
    assert tables[None].controller


def test_a_reader_of_version_1_0_looks_up_in_a_policy_of_1_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tailc_runtime.json_form.SCHEMA_MINOR", 0)
    rows = rows_of(VECTORS / "demand.csv")[1]
    for suffix in (".json", ".tailc"):
        assert wrong_answers(VECTORS / f"demand{suffix}", rows) == []


@pytest.mark.parametrize("value", [None, True, {}, []])
@pytest.mark.parametrize(
    "steps",
    [
        (*ROW, "last_load"),
        ("forms", 0, "rows", -1, "last_load"),
        ("forms", 0, "request_class"),
        ("forms", 0, "boost"),
        ("forms", 0, "cost_units", 0, "capacity_ppm"),
        ("forms", 0, "rungs", 0, "speed_ppm"),
        ("forms", 0, "rungs", 0, "cost_ppm", 0),
        ("schema", "minor"),
    ],
)
def test_a_member_of_another_type_is_refused_by_both_readers(
    steps: tuple[str | int, ...], value: object
) -> None:
    data = changed(*steps, to=value)
    with pytest.raises(BadStructure):
        policy_from(data)
    with pytest.raises(TailcError):
        decode_json(data)


@pytest.mark.parametrize("value", [None, True, {}, [], "1"])
@pytest.mark.parametrize(
    "steps",
    [
        ("forms", 0, "power"),
        ("forms", 0, "power", "unit"),
        ("forms", 0, "power", "idle_ppm", 0),
        ("forms", 0, "rungs", 1, "move_us"),
        ("forms", 2, "target_us"),
        ("forms", 2, "gains", 0),
        ("forms", 2, "gains", 0, "ki"),
    ],
)
def test_a_member_of_a_controller_of_another_type_is_refused_by_both_readers(
    steps: tuple[str | int, ...], value: object
) -> None:
    data = changed(*steps, to=value, minor=2, name="controller")
    with pytest.raises(BadStructure):
        policy_from(data)
    with pytest.raises(TailcError):
        decode_json(data)


@pytest.mark.parametrize("schema", [{"major": 1, "minor": 0, "x": 1}, {"major": 1, "minor": -1}])
def test_a_version_that_says_more_or_less_is_refused(schema: dict[str, int]) -> None:
    def change(document: Any) -> None:
        document["schema"] = schema

    with pytest.raises(BadStructure, match="member `schema`"):
        policy_from(changed_json(change))
