"""`tailc migrate`: every released policy stays what it is, and nothing is damaged on the way."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tailc.artifact.files import read_policy
from tests.tailc.toy import SPEC, write_toy

SCHEMAS = Path(__file__).parents[3] / "schemas"
RELEASED, SIGNED = SCHEMAS / "released", SCHEMAS / "vectors" / "v1" / "signed" / "good.tailc"
POLICIES = sorted(
    path
    for path in RELEASED.glob("*/*")
    if path.suffix in (".json", ".tailc") and not path.name.endswith(".schema.json")
)


def test_no_byte_of_a_released_policy_changes(in_folder, tailc):
    copies = [in_folder / f"{path.parent.name}-{path.name}" for path in POLICIES]
    for path, copy in zip(POLICIES, copies, strict=True):
        shutil.copy(path, copy)
    ended = tailc("migrate", *copies, "--output-format", "json")
    assert ended.code == 0, ended.out
    result = json.loads(ended.out)["result"]
    assert result["changed"] == []
    assert [told["version"] for told in result["inputs"]] == [path.parent.name for path in POLICIES]
    assert [copy.read_bytes() for copy in copies] == [path.read_bytes() for path in POLICIES]


@pytest.fixture
def laid_out(in_folder):
    """A policy of 1.0 as JSON that another tool has laid out."""
    document = json.loads((RELEASED / "1.0" / "lucene.json").read_text())
    (in_folder / "lucene.json").write_text(json.dumps(document, indent=2))
    return in_folder / "lucene.json"


def test_a_policy_that_was_laid_out_anew_is_put_in_order(laid_out, tailc):
    assert tailc("inspect", laid_out).code == 5
    ended = tailc("migrate", laid_out)
    assert ended.code == 0
    assert "reformatted by another tool" in ended.out
    assert laid_out.read_bytes() == (RELEASED / "1.0" / "lucene.json").read_bytes()


def test_diff_shows_it_and_writes_nothing(laid_out, tailc):
    before = laid_out.read_bytes()
    ended = tailc("migrate", "--diff", laid_out)
    assert ended.code == 0
    assert '\n-  "format": "tailc-policy",\n' in ended.out
    assert laid_out.read_bytes() == before


def test_a_policy_that_was_edited_is_refused_and_left(laid_out, tailc, in_folder):
    text = laid_out.read_text()
    laid_out.write_text(text.replace('"generation": 1', '"generation": 2'))
    assert laid_out.read_text() != text
    write_toy(in_folder)
    ended = tailc("migrate", "toy.yaml", laid_out)
    assert ended.code == 5
    assert "TC0402" in ended.err
    assert '"generation": 2' in laid_out.read_text()


def test_a_policy_of_a_newer_schema_is_refused_for_what_would_be_lost(in_folder, tailc):
    from tailc.artifact.json_form import _digest, canonical

    document = json.loads((RELEASED / "1.0" / "lucene.json").read_text())
    document |= {"schema": {"major": 1, "minor": 99}, "colour": 1}
    document["policy_digest"] = _digest(document)
    (in_folder / "new.json").write_bytes(canonical(document))
    ended = tailc("migrate", "new.json")
    assert ended.code == 65
    assert "TC0303" in ended.err


def test_both_encodings_come_of_one(laid_out, tailc, in_folder):
    before = laid_out.read_bytes()
    assert tailc("migrate", laid_out, "-o", "both").code == 0
    assert (in_folder / "both.tailc").read_bytes() == (RELEASED / "1.0/lucene.tailc").read_bytes()
    assert read_policy("both.json") == read_policy(RELEASED / "1.0" / "lucene.json")
    assert laid_out.read_bytes() == before


def test_a_spec_is_checked_and_its_version_told(in_folder, tailc):
    ended = tailc("migrate", write_toy(in_folder))
    assert ended.out.endswith("toy.yaml: spec of tailc/v1, which is the newest version\n")
    (in_folder / "old.yaml").write_text(SPEC.replace("tailc/v1", "tailc/v0"))
    assert tailc("migrate", "old.yaml").code == 65
    assert tailc("migrate", "toy.yaml", "-o", "both").code == 64


def test_what_cannot_be_written_is_refused(tailc, in_folder):
    assert tailc("migrate", "-").code == 64
    assert tailc("migrate", "git:HEAD:x.json").code == 64
    assert tailc("migrate", "gone.json").code == 66
    os.mkfifo(in_folder / "pipe.json")
    assert tailc("migrate", "pipe.json").code == 64


@pytest.mark.parametrize("name", ["signed.tailc", "signed"])
def test_a_signed_policy_is_not_replaced_by_one_without_a_signature(in_folder, tailc, name):
    signed = in_folder / "signed.tailc"
    shutil.copy(SIGNED, signed)
    (in_folder / "link.json").symlink_to("signed.tailc")
    for stem in ("signed", "signed.json", "link"):
        ended = tailc("migrate", name, "-o", stem)
        assert ended.code == 64
        assert "` is the policy that `-o` must leave unchanged" in ended.err
    assert signed.read_bytes() == SIGNED.read_bytes()
    assert sorted(path.name for path in in_folder.iterdir()) == ["link.json", "signed.tailc"]


def test_a_read_only_file_is_left(laid_out, tailc):
    before = laid_out.read_bytes()
    laid_out.chmod(0o444)
    ended = tailc("migrate", laid_out)
    assert ended.code == 73
    assert "it is read-only" in ended.err
    assert laid_out.read_bytes() == before


def test_a_file_that_is_named_twice_is_written_once(laid_out, tailc):
    assert tailc("migrate", laid_out, laid_out).out.count("wrote") == 1


def test_the_beginning_of_a_policy_is_a_damaged_one_and_no_spec(laid_out, tailc):
    whole = (RELEASED / "1.0" / "lucene.json").read_bytes()
    laid_out.write_bytes(whole[:300])
    ended = tailc("migrate", laid_out)
    assert ended.code == 5
    assert "TC0101" not in ended.err


KEY_1, KEY_2 = (str(SIGNED.parent / f"test-key-{number}.pem") for number in (1, 2))


def test_a_signature_is_checked_with_the_trusted_keys(in_folder, tailc, monkeypatch):
    shutil.copy(SIGNED, "signed.tailc")
    monkeypatch.setenv("TAILC_TRUST", KEY_1)
    assert tailc("migrate", "signed.tailc", "-o", "copy").code == 0
    ended = tailc("migrate", "signed.tailc", "--trust", KEY_2, "-o", "other")
    assert (ended.code, "error[TC0406]" in ended.err) == (5, True)
    shutil.copy(SIGNED.with_name("zero-signature.tailc"), "forged.tailc")
    ended = tailc("migrate", "forged.tailc", "-o", "other")
    assert (ended.code, "error[TC0407]" in ended.err) == (5, True)
    assert not list(in_folder.glob("other*"))


def test_json_is_refused_and_left_where_a_key_is_trusted(laid_out, tailc):
    before = laid_out.read_bytes()
    ended = tailc("migrate", laid_out, "--trust", KEY_1)
    assert (ended.code, "is JSON, which cannot be signed" in ended.err) == (5, True)
    assert laid_out.read_bytes() == before
    assert tailc("migrate", laid_out).code == 0


def test_a_spec_needs_no_signature(in_folder, tailc, monkeypatch):
    write_toy(in_folder)
    monkeypatch.setenv("TAILC_TRUST", KEY_1)
    assert tailc("migrate", "toy.yaml").code == 0
