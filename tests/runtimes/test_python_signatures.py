"""What the Python runtime asks of a policy before it takes its place, and what it counts."""

from __future__ import annotations

import base64
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tailc_runtime import (
    BadMeaning,
    Expired,
    HashMismatch,
    NoSignatures,
    OlderGeneration,
    OtherForm,
    OtherService,
    PolicyError,
    UnknownClass,
    Unsigned,
    open_any,
    open_plan,
    open_policies,
    open_policy,
    open_shares,
    open_tail_table,
)
from tailc_runtime.opening import policy_from
from tailc_runtime.signed_vectors import wrongly_trusted
from tailc_runtime.vectors import rows_of

from tailc.artifact.files import write_policy
from tests.tailc.artifact.published import VECTORS, small_policy

SIGNED = VECTORS / "signed"
KEY = (SIGNED / "test-key-1.pem").read_text(encoding="utf-8")
BODY = KEY.splitlines()[1]
BADLY_LAID_OUT = (
    "\n" + KEY,
    KEY + "\n",
    KEY + "a comment",
    KEY.replace(BODY, BODY + " "),
    KEY.replace(BODY, BODY[:32] + "\n" + BODY[32:]),
    KEY.replace("\n", ""),
    KEY.replace("\n", "\r"),
    # The last bits say nothing, and are not 0.
    KEY.replace(BODY, BODY[:-2] + chr(ord(BODY[-2]) + 1) + "="),
)
# y of 0, 1, both of order 8, -1, and of the prime and 3 above it; some with the sign.
WEAK = tuple(
    KEY.replace(BODY[16:], point)
    for point in (
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=",
        "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=",
        "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA/o=",
        "7P///////////////////////////////////////38=",
        "7f///////////////////////////////////////38=",
        "8P////////////////////////////////////////8=",
    )
)
OTHER_KEY = (SIGNED / "test-key-2.pem").read_text(encoding="utf-8")
GOOD = SIGNED / "good.tailc"


def generation(folder: Path, number: int) -> Path:
    policy = replace(small_policy(), generation=number)
    return write_policy(policy, folder / f"generation-{number}")[1]


def test_every_signed_vector_comes_out_as_expected() -> None:
    rows = rows_of(SIGNED / "expected.csv")[1]
    assert len(rows) > 80
    assert wrongly_trusted(SIGNED, rows) == []


def test_a_file_that_should_have_been_refused_is_reported() -> None:
    row = {"file": "good.tailc", "keys": "", "now_s": "", "service": "", "held_generation": ""}
    (wrong,) = wrongly_trusted(SIGNED, [{**row, "error": "unsigned", "about": "as if"}])
    assert wrong.endswith("good.tailc: as if: is ``, wanted `unsigned`")


def test_a_key_may_stand_alone_or_among_others() -> None:
    for trusted in (KEY, [KEY], (OTHER_KEY, KEY), KEY.replace("\n", "\r\n")):
        assert open_policy(GOOD, trusted=trusted).name == "smallest"


def test_a_signature_expires_by_the_system_s_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    for now_s in (1_799_999_999.9, 1_800_000_000.0):
        monkeypatch.setattr("time.time", lambda now_s=now_s: now_s)
        if now_s < 1_800_000_000:
            open_policy(SIGNED / "expiring.tailc", trusted=KEY)
            continue
        with pytest.raises(Expired, match="at Unix second 1800000000"):
            open_policy(SIGNED / "expiring.tailc", trusted=KEY)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        KEY.replace("PUBLIC", "PRIVATE"),
        KEY.splitlines()[1],
        KEY.replace("M", "*", 1),
        KEY[:40] + KEY[44:],
        KEY + KEY,
        KEY.replace(KEY.splitlines()[1], base64.b64encode(bytes(44)).decode()),
    ],
)
def test_a_text_that_is_no_key_is_the_caller_s_error(text: str) -> None:
    with pytest.raises(ValueError, match="an Ed25519 public key in PEM"):
        open_policy(GOOD, trusted=[KEY, text])


@pytest.mark.parametrize("text", [*BADLY_LAID_OUT, *WEAK])
def test_only_the_one_layout_and_no_weak_point_is_a_key(text: str) -> None:
    with pytest.raises(ValueError, match="an Ed25519 public key in PEM"):
        open_policy(GOOD, trusted=text)


@pytest.mark.parametrize("text", [KEY.replace("\n", "\r\n"), KEY.removesuffix("\n")])
def test_lines_may_end_as_on_windows_and_the_last_not_at_all(text: str) -> None:
    assert open_policy(GOOD, trusted=text)


def test_a_misspelled_wish_is_an_error_and_not_ignored() -> None:
    options: Any = {"trustd": KEY}
    with pytest.raises(TypeError, match="trustd"):
        open_policy(GOOD, **options)


def test_json_is_never_signed() -> None:
    with pytest.raises(Unsigned, match="JSON is never signed"):
        open_policy(VECTORS / "smallest.json", trusted=KEY)
    with pytest.raises(OtherService):
        open_policy(VECTORS / "smallest.json", service="other")


def test_without_the_package_nothing_is_opened_that_should_be_signed() -> None:
    program = (
        "import sys, pytest, tailc_runtime as runtime\n"
        "sys.modules['cryptography.exceptions'] = None\n"
        "path, key = sys.argv[1:]\n"
        "assert runtime.open_policy(path).name == 'smallest'\n"
        "with pytest.raises(runtime.NoSignatures, match='tailc-runtime.signatures.'):\n"
        "    runtime.open_policy(path, trusted=key)\n"
    )
    assert NoSignatures.name == "no-signatures"
    subprocess.run([sys.executable, "-c", program, str(GOOD), KEY], check=True)


@pytest.mark.parametrize("form", ["shares", "tail_table", "plan", "policies", "any"])
def test_every_form_is_opened_on_the_same_terms(form: str) -> None:
    opens: Any = {
        "shares": (open_shares, "shares"),
        "tail_table": (open_tail_table, "tails"),
        "plan": (open_plan, "plan"),
        "policies": (open_policies, "classes"),
        "any": (open_any, "plan"),
    }
    open_form, name = opens[form]
    path = VECTORS / f"{name}.tailc"
    with pytest.raises(Unsigned):
        open_form(path, trusted=KEY)
    with pytest.raises(OtherService):
        open_form(path, service="another")
    held = open_form(path, service=name)
    assert open_form(path, held=held)
    with pytest.raises(OlderGeneration):
        open_form(path, held=2)


def test_a_policy_takes_the_place_of_an_older_one_and_counts_on(tmp_path: Path) -> None:
    held = open_policy(generation(tmp_path, 3))
    held.counters.outside += 1
    with pytest.raises(OlderGeneration, match="generation 2 is older than generation 3"):
        open_policy(generation(tmp_path, 2), held=held)
    newer = open_policy(generation(tmp_path, 4), held=held)
    assert newer.counters is held.counters
    assert (held.counters.outside, held.counters.refused_reloads) == (1, 1)
    assert open_policy(generation(tmp_path, 5)).counters.refused_reloads == 0


def test_every_way_to_refuse_a_reload_is_counted(tmp_path: Path) -> None:
    held = open_policies(VECTORS / "classes.tailc")
    counters = held[None].counters
    assert counters.last_refusal is None
    refusals: list[tuple[str, type[Exception], str]] = [
        ("refused/bit-flip.tailc", HashMismatch, "hash-mismatch"),
        ("plan.tailc", OtherForm, "other-form"),
        ("refused/plan-overbooked.tailc", BadMeaning, "bad-meaning"),
        ("no-such-file.tailc", OSError, "unreadable"),
    ]
    for count, (name, error, word) in enumerate(refusals, start=1):
        with pytest.raises(error):
            open_policies(VECTORS / name, held=held)
        assert (counters.refused_reloads, counters.last_refusal) == (count, word)
    short = replace(small_policy(), forms=small_policy().ladders[1:])
    with pytest.raises(UnknownClass):
        open_policy(write_policy(short, tmp_path / "short")[1], "long", held=held)
    assert counters.last_refusal == "unknown-class"


def test_bytes_are_asked_the_same_as_a_file() -> None:
    assert policy_from(GOOD.read_bytes(), trusted=KEY, service="smallest", held=7)
    with pytest.raises(PolicyError):
        policy_from((SIGNED / "unsigned.tailc").read_bytes(), trusted=KEY)


@pytest.mark.parametrize(("name", "inside"), [("lucene", (0, 24)), ("rate", (10_000, 100_000))])
def test_look_ups_outside_of_the_guard_are_counted(name: str, inside: tuple[int, int]) -> None:
    """Both numbers stand in the vectors' guards; the tables are found by index and by bisection."""
    table = open_policy(VECTORS / f"{name}.tailc")
    for load in inside:
        table.lookup(load, 0, 0)
    assert table.counters.outside == 0
    for load in (inside[1] + 1, 10**9):
        table.lookup(load, 0, 0)
    with pytest.raises(ValueError, match="must not be negative"):
        table.lookup(inside[1] + 1, -1, 0)
    assert table.counters.outside == 2


def test_the_last_row_of_a_table_by_requests_in_the_system_has_no_end() -> None:
    """That of `lucene` begins above the guard, that of `smallest` in it."""
    counted = {"lucene": 1, "smallest": 0}
    for name, outside in counted.items():
        table = open_policy(VECTORS / f"{name}.tailc")
        table.lookup(10**9, 0, 0)
        assert table.counters.outside == outside


def test_longer_queues_and_other_moments_are_outside_too() -> None:
    table = open_tail_table(VECTORS / "tails.tailc")
    table.level([0] * table.positions)
    assert table.counters.outside == 0
    table.level([0] * (table.positions + 1))
    assert table.counters.outside == 1
    plan = open_plan(VECTORS / "plan.tailc")
    plan.source(0, plan.start_unix_s)
    assert plan.counters.outside == 0
    plan.source(0, plan.start_unix_s - 1)
    plan.epoch_at(plan.start_unix_s + len(plan.epochs) * plan.epoch_s)
    assert plan.counters.outside == 2
