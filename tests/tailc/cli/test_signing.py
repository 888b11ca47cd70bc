"""Keys, signatures and rollbacks on the command line, and what every command asks of a policy."""

import json
import os
import shutil
import sys
from dataclasses import replace

import pytest
from tailc_runtime import OlderGeneration, open_policy

from tailc.artifact.files import read_policy, write_policy
from tests.tailc.artifact.published import VECTORS, small_policy

SIGNED = VECTORS / "signed"
KEY_1, KEY_2 = (str(SIGNED / f"test-key-{number}.pem") for number in (1, 2))
KEY_ID_1 = (SIGNED / "good.tailc").read_bytes()[-80:-72].hex()


@pytest.fixture
def keys(in_folder, tailc):
    """keys.key and keys.pub, and p.json and p.tailc beside them."""
    assert tailc("keygen", "keys").code == 0
    write_policy(small_policy(), in_folder / "p")
    return in_folder


def test_keygen_writes_a_secret_and_a_public_file(in_folder, tailc):
    ended = tailc("keygen", "deep/keys", "--output-format", "json")
    result = json.loads(ended.out)["result"]
    assert result["files"] == ["deep/keys.key", "deep/keys.pub"]
    private, public = (in_folder / name for name in result["files"])
    assert private.stat().st_mode & 0o777 == 0o600
    assert private.read_text().startswith("-----BEGIN PRIVATE KEY-----\n")
    assert public.read_text().startswith("-----BEGIN PUBLIC KEY-----\n")
    assert len(bytes.fromhex(result["key_id"])) == 8


@pytest.mark.parametrize(
    ("mode", "warns"), [(0o600, False), (0o400, False), (0o640, True), (0o604, True), (0o644, True)]
)
def test_a_private_key_that_others_may_read_is_warned_of(keys, tailc, mode, warns):
    (keys / "keys.key").chmod(mode)
    ended = tailc("sign", "p", "--key", "keys.key")
    assert ended.code == 0
    assert ("warning[TC0451]" in ended.err, "chmod 600 keys.key" in ended.err) == (warns, warns)


@pytest.mark.parametrize("left", ["keys.key", "keys.pub"])
def test_keygen_replaces_no_key_unless_it_is_forced(keys, tailc, left):
    before = (keys / left).read_bytes()
    (keys / ({"keys.key", "keys.pub"} - {left}).pop()).unlink()
    ended = tailc("keygen", "keys.pub")
    assert (ended.code, f"`{left}` exists, and a key that" in ended.err) == (
        73,
        True,
    )
    assert (keys / left).read_bytes() == before
    assert tailc("keygen", "keys", "--force").code == 0
    assert (keys / left).read_bytes() != before


def test_a_stem_of_keys_names_a_file(in_folder, tailc):
    for stem in ("folder/", "..", ""):
        assert tailc("keygen", stem).code == 64


def test_a_passphrase_from_a_file_locks_the_key(keys, tailc):
    (keys / "word").write_text("correct horse\n")
    assert tailc("keygen", "locked", "--passphrase-file", "word").code == 0
    assert "ENCRYPTED" in (keys / "locked.key").read_text()
    assert tailc("sign", "p", "--key", "locked.key", "--passphrase-file", "word").code == 0
    (keys / "word").write_text("battery staple\n")
    ended = tailc("sign", "p", "--key", "locked.key", "--passphrase-file", "word")
    assert (ended.code, "TC0411" in ended.err) == (65, True)
    (keys / "word").write_text("\n")
    assert tailc("keygen", "other", "--passphrase-file", "word").code == 65
    assert tailc("keygen", "other", "--passphrase-file", "gone").code == 66


def test_a_passphrase_is_asked_for_at_a_terminal_alone(keys, tailc, monkeypatch):
    ended = tailc("keygen", "locked", "--passphrase")
    assert (ended.code, "--passphrase-file" in ended.err) == (64, True)
    assert not (keys / "locked.key").exists()
    typed = iter(["horse", "other", "horse", "horse", "horse"])
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("click.termui.hidden_prompt_func", lambda *_: next(typed))
    assert tailc("keygen", "locked", "--passphrase").code == 0
    assert tailc("sign", "p", "--key", "locked.key").code == 0
    assert next(typed, None) is None


def test_a_signed_policy_is_read_by_who_trusts_its_key(keys, tailc):
    ended = tailc("sign", "p", "--key", "keys.key")
    assert ended.out.endswith("never expires\nwrote p.tailc\n")
    assert tailc("lookup", "p", "--in-system", "3", "--trust", "keys.pub").code == 0
    assert (
        tailc("lookup", "p", "--in-system", "3", "--trust", KEY_1, "--trust", "keys.pub").code == 0
    )
    ended = tailc("lookup", "p", "--in-system", "3", "--trust", KEY_1)
    assert (ended.code, "error[TC0406]" in ended.err, ended.out) == (5, True, "")


def test_the_environment_names_keys_and_the_option_replaces_them(keys, tailc, monkeypatch):
    good = str(SIGNED / "good.tailc")
    monkeypatch.setenv("TAILC_TRUST", f"keys.pub:{KEY_1}")
    assert tailc("lookup", good, "--in-system", "3").code == 0
    monkeypatch.setenv("TAILC_TRUST", "keys.pub")
    assert tailc("lookup", good, "--in-system", "3").code == 5
    assert tailc("lookup", good, "--in-system", "3", "--trust", KEY_1).code == 0
    monkeypatch.setenv("TAILC_TRUST", "gone.pub")
    ended = tailc("lookup", good, "--in-system", "3")
    assert (ended.code, "`gone.pub` cannot be read" in ended.err) == (66, True)
    monkeypatch.setenv("TAILC_TRUST", "")
    assert tailc("lookup", good, "--in-system", "3").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["lookup", "p", "--in-system", "3"],
        ["inspect", "p"],
        ["verify", "p", "--trace", "gone.csv"],
        ["size", "signed", "p", "--trace", "gone.csv"],
        ["diff", "p", "signed"],
        ["diff", "signed", "p"],
        ["compile", "gone.yaml", "--previous", "p"],
        ["rollback", "p", "--over", "signed", "-o", "out"],
        ["rollback", "signed", "--over", "p", "-o", "out"],
        ["migrate", "p"],
        ["migrate", "signed", "p.tailc"],
        ["migrate", "p", "-o", "out"],
        ["migrate", "--diff", "p"],
    ],
    ids=lambda arguments: " ".join(arguments[:3]),
)
def test_every_command_that_reads_a_policy_asks_for_its_signature(keys, tailc, arguments):
    assert tailc("sign", "p", "--key", "keys.key", "-o", "signed").code == 0
    ended = tailc(*arguments, "--trust", "keys.pub")
    assert (ended.code, "error[TC0405]" in ended.err) == (5, True), ended.err
    assert "p.tailc" in ended.err


def test_json_is_refused_where_a_key_is_trusted(keys, tailc):
    ended = tailc("inspect", "p.json", "--trust", "keys.pub")
    assert (ended.code, "give the `.tailc` file" in ended.err) == (5, True)
    assert tailc("sign", "p.json", "--key", "keys.key").code == 5


def test_signing_again_replaces_the_signature_and_leaves_the_json(keys, tailc):
    unsigned, document = (keys / "p.tailc").read_bytes(), (keys / "p.json").read_bytes()
    tailc("sign", "p", "--key", "keys.key")
    once = (keys / "p.tailc").read_bytes()
    assert (len(once), once[: len(unsigned)]) == (len(unsigned) + 96, unsigned)
    tailc("sign", "p", "--key", "keys.key", "--expires", "2100-01-01T00:00:00Z")
    again = (keys / "p.tailc").read_bytes()
    assert (len(again), again == once) == (len(once), False)
    tailc("sign", "p", "--key", "keys.key")
    assert (keys / "p.tailc").read_bytes() == once
    assert (keys / "p.json").read_bytes() == document


def test_signing_into_another_file_leaves_the_first(keys, tailc):
    before = (keys / "p.tailc").read_bytes()
    ended = tailc("sign", "p.tailc", "--key", "keys.key", "-o", "out/q", "--output-format", "json")
    assert json.loads(ended.out)["result"]["files"] == ["out/q.tailc"]
    assert (keys / "p.tailc").read_bytes() == before
    assert tailc("inspect", "out/q.tailc", "--trust", "keys.pub").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["p", "--key", "keys.pub"], 65, "which cannot"),
        (["p", "--key", "gone.key"], 66, "cannot be read"),
        (["gone", "--key", "keys.key"], 66, "cannot be read"),
        (["p", "--key", "keys.key", "--expires", "2001-01-01T00:00:00Z"], 64, "has passed"),
        (["p", "--key", "keys.key", "--expires", "2100-01-01T00:00:00"], 64, "add `Z` for UTC"),
        (["damaged.tailc", "--key", "keys.key"], 5, "SHA-256"),
    ],
)
def test_what_cannot_be_signed_is_said_and_left_alone(keys, tailc, arguments, code, told):
    shutil.copy(VECTORS / "refused" / "bit-flip.tailc", keys / "damaged.tailc")
    before = {path.name: path.read_bytes() for path in keys.iterdir()}
    ended = tailc("sign", *arguments)
    assert (ended.code, told in ended.err) == (code, True), ended.err
    assert {path.name: path.read_bytes() for path in keys.iterdir()} == before


def test_inspect_tells_the_signer_the_expiry_and_whether_anybody_checked(tailc):
    expiring = str(SIGNED / "expiring-9999.tailc")
    line = f"signed     by key {KEY_ID_1}, expires 9999-12-31T23:59:59Z, "
    assert tailc("inspect", expiring).out.splitlines()[1] == f"{line}not checked"
    assert tailc("inspect", expiring, "--trust", KEY_1).out.splitlines()[1] == f"{line}checked"
    ended = tailc("inspect", str(SIGNED / "good.tailc"), "--output-format", "json")
    told = json.loads(ended.out)["result"]["signature"]
    assert told == {"key_id": KEY_ID_1, "expires": None, "checked": False}
    unsigned = tailc("inspect", str(SIGNED / "unsigned.tailc"), "--output-format", "json")
    assert "signature" not in json.loads(unsigned.out)["result"]


def test_what_has_expired_is_refused(tailc, monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1_800_000_000.0)
    ended = tailc("inspect", str(SIGNED / "expiring.tailc"), "--trust", KEY_1)
    assert (ended.code, "expired at 2027-01-15T08:00:00Z" in ended.err) == (5, True)


def generations(folder):
    """old, of generation 3, and new, of generation 5, which promises something else."""
    old = replace(small_policy(), generation=3)
    new = replace(old, generation=5, rates_mrps=(1_000,))
    write_policy(old, folder / "old")
    write_policy(new, folder / "new")
    return old, new


def digest_in(path):
    return json.loads(path.read_bytes())["policy_digest"]


def test_a_rolled_back_policy_takes_the_place_of_the_newer_one(in_folder, tailc):
    old, _ = generations(in_folder)
    held = open_policy(in_folder / "new.tailc")
    with pytest.raises(OlderGeneration):
        open_policy(in_folder / "old.tailc", held=held)
    ended = tailc("rollback", "old", "--over", "new", "-o", "back", "--output-format", "json")
    back = read_policy("back")
    assert open_policy(in_folder / "back.tailc", held=held).generation == back.generation == 6
    assert back.same_policy(old)
    digests = {
        "restored": digest_in(in_folder / "old.json"),
        "replaced": digest_in(in_folder / "new.json"),
    }
    assert json.loads(ended.out)["result"].items() >= digests.items()
    evidence = dict(back.evidence.versions)
    assert evidence["restored-policy"] == digests["restored"]
    assert evidence["replaced-policy"] == digests["replaced"]
    told = tailc("inspect", "back").out.splitlines()[1]
    assert (
        told == f"rolled back to policy {digests['restored'][:12]}, over {digests['replaced'][:12]}"
    )


def test_a_rollback_that_is_rolled_back_names_the_last_two_policies(in_folder, tailc):
    generations(in_folder)
    tailc("rollback", "old", "--over", "new", "-o", "back")
    assert tailc("rollback", "new", "--over", "back", "-o", "forth").code == 0
    forth = read_policy("forth")
    assert forth.generation == 7
    names = [name for name, _ in forth.evidence.versions]
    assert names == sorted(set(names))
    assert dict(forth.evidence.versions)["replaced-policy"] == digest_in(in_folder / "back.json")


@pytest.mark.parametrize(
    ("over", "told"),
    [("old", "the same SLO and decisions as the deployed one"), ("other", "of `another`")],
)
def test_what_cannot_be_rolled_back_is_refused(in_folder, tailc, over, told):
    _, new = generations(in_folder)
    write_policy(replace(new, name="another"), in_folder / "other")
    ended = tailc("rollback", "old", "--over", over, "-o", "back")
    assert (ended.code, "error[TC0412]" in ended.err, told in ended.err) == (65, True, True)
    assert not (in_folder / "back.tailc").exists()


def test_without_the_package_the_extra_is_named(keys, tailc, monkeypatch):
    monkeypatch.delitem(sys.modules, "tailc.artifact.keys", raising=False)
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    for arguments in (["keygen", "k"], ["sign", "p", "--key", "keys.key"]):
        ended = tailc(*arguments)
        assert (ended.code, "pip install 'tailc[sign]'" in ended.err) == (69, True), ended.err
    assert tailc("inspect", "p", "--trust", "keys.pub").code == 69
    assert tailc("inspect", "p").code == 0


def test_signing_follows_links_and_keeps_the_mode(keys, tailc):
    policy, link = keys / "p.tailc", keys / "link.tailc"
    policy.chmod(0o640)
    link.symlink_to("p.tailc")
    assert tailc("sign", "link.tailc", "--key", "keys.key").code == 0
    assert link.is_symlink()
    assert policy.stat().st_mode & 0o777 == 0o640
    assert tailc("lookup", "p.tailc", "--trust", "keys.pub").code != 5


def test_signing_leaves_a_file_that_is_read_only(keys, tailc):
    policy = keys / "p.tailc"
    policy.chmod(0o440)
    before = policy.read_bytes()
    assert tailc("sign", "p.tailc", "--key", "keys.key").code == 73
    assert policy.read_bytes() == before


def test_signing_writes_nothing_next_to_a_device(keys, tailc):
    os.mkfifo(keys / "device")
    assert tailc("sign", "p.tailc", "--key", "keys.key", "-o", "device").code == 73
    assert not (keys / "device.tailc").exists()


def test_a_skipped_verification_is_a_warning_and_only_with_keys(keys, tailc, monkeypatch):
    (keys / "tailc.toml").write_text(f'trust = ["{KEY_1}"]\n')
    assert tailc("inspect", "p").code == 5
    ended = tailc("inspect", "p", "--insecure-skip-verify", "--output-format", "json")
    assert ended.code == 0
    assert [one["code"] for one in json.loads(ended.out)["findings"]] == ["TC0452"]
    (keys / "tailc.toml").unlink()
    assert tailc("inspect", "p", "--insecure-skip-verify").err == ""
    # Only the command line turns it on.
    (keys / "tailc.toml").write_text("inspect = {insecure-skip-verify = true}\n")
    monkeypatch.setenv("TAILC_INSPECT_INSECURE_SKIP_VERIFY", "1")
    monkeypatch.setenv("TAILC_TRUST", KEY_1)
    assert tailc("inspect", "p").code == 5
