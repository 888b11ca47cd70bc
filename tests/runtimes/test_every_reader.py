"""Every compiled runtime against the vectors and against damage, beside the one in Python."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from tailc_runtime import Truncated, open_policy

from tailc.artifact.seal import seal
from tests.runtimes.conformance import Reader, python_says
from tests.runtimes.damage import contradictory_payloads, damaged_payload
from tests.runtimes.no_policies import NO_POLICIES
from tests.runtimes.readers import READERS
from tests.tailc.artifact.published import VECTORS

SIGNED = "signed/good"
# With nothing in them but what is asked for.
ANSWERS = 22_236
FOLDERS = (
    "refused",
    "signed",
    "levels",
    "steps",
    "shares",
    "plans",
    "overload",
    "sharing",
    "settings",
    "schedules",
    "budgets",
)


@pytest.fixture(scope="module", params=READERS)
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return READERS[request.param](tmp_path_factory)


def test_every_vector_is_answered_as_expected(reader: Reader) -> None:
    answers, *others = reader.run("vectors", VECTORS)
    assert not others
    count, right = answers.split(" answers, ")
    assert int(count) == ANSWERS
    assert right == "0 wrong"


def test_a_wrong_answer_is_reported_with_what_was_wanted(reader: Reader, tmp_path: Path) -> None:
    for folder in FOLDERS:
        (tmp_path / folder).mkdir()
    for folder in ("refused", "signed"):
        (tmp_path / folder / "expected.csv").write_text("file,error\n")
    shutil.copy(VECTORS / "lucene.tailc", tmp_path)
    header = "request_class,load,waited_us,executed_us,start,wait_us,rung"
    (tmp_path / "lucene.csv").write_text(f"{header}\n,7,0,75000,now,0,2\n")
    done = reader.start("vectors", tmp_path)
    assert done.returncode == 1
    assert "is `now 0 3`, wanted `now 0 2`" in done.stdout


def test_drawn_questions_have_the_same_answers_however_many_are_asked(reader: Reader) -> None:
    policy = VECTORS / "plan.tailc"
    lines = reader.run("differential", policy, 1, 5_000)
    assert [len(line) for line in lines] == [16, 16]
    assert reader.run("differential", policy, 1, 4_096) == lines[:1]
    assert reader.run("differential", policy, 2, 4_096) != lines[:1]


@pytest.mark.parametrize(("name", "whole"), [("smallest", 0), ("plan-smallest", 0), (SIGNED, 1)])
def test_every_damage_is_refused_as_python_refuses_it(
    reader: Reader, name: str, whole: int
) -> None:
    """All single-bit flips, all truncations, all appended bytes.

    What is cut just before its signature is whole, and no key is trusted.
    """
    path = VECTORS / f"{name}.tailc"
    data = path.read_bytes()
    flips = [bytearray(data) for _ in range(len(data) * 8)]
    for at, flipped in enumerate(flips):
        flipped[at // 8] ^= 1 << at % 8
    cut = [data[:size] for size in range(len(data))]
    longer = [data + bytes([byte]) for byte in range(256)]
    wanted = [python_says(bytes(damaged)) for damaged in (*flips, *cut, *longer)]
    assert wanted.count("opened") == whole
    assert reader.run("refusals", "damages", path) == wanted


def test_what_python_refuses_of_sealed_nonsense_is_refused(reader: Reader, tmp_path: Path) -> None:
    """Only structure may be refused more strictly: Python does not look at evidence."""
    rng = Random(3)
    files = [seal(damaged_payload(rng)) for _ in range(400)]
    said = reader.classified(tmp_path, files)
    both = list(zip(map(python_says, files), said, strict=True))
    opened = [ours for python, ours in both if python == "opened"]
    assert opened.count("opened") > 0.5 * len(opened) > 20
    pairs = set(both)
    assert {ours for python, ours in pairs if python == "opened"} <= {"opened", "bad-structure"}
    assert {ours for python, ours in pairs if python == "bad-meaning"} <= {
        "bad-meaning",
        "bad-structure",
    }
    assert ("bad-structure", "opened") not in pairs


def test_a_policy_that_contradicts_itself_is_refused_alike(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "sealed").mkdir()
    files = [seal(payload) for payload in contradictory_payloads(Random(5), 800, tmp_path)]
    said = reader.classified(tmp_path / "sealed", files)
    wanted = [python_says(data) for data in files]
    differ = [at for at in range(len(files)) if said[at] != wanted[at]]
    assert not differ, [(at, said[at], wanted[at]) for at in differ[:5]]
    assert {"opened", "bad-meaning", "bad-structure"} <= set(said)


@pytest.mark.parametrize("why", NO_POLICIES)
def test_a_file_that_is_no_policy_is_refused_alike_under_any_name(
    reader: Reader, tmp_path: Path, why: str
) -> None:
    paths = [tmp_path / name for name in ("policy.tailc", "policy.json", "policy", "policy.csv.gz")]
    for path in paths:
        path.write_bytes(NO_POLICIES[why])
        with pytest.raises(Truncated, match=why):
            open_policy(path)
    assert reader.words(paths) == ["truncated"] * len(paths)
    done = reader.start("serving", paths[0], "", tmp_path / "log.csv")
    assert done.returncode != 0
    assert why in done.stderr
