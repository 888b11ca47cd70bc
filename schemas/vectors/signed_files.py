"""Signed files, what is asked of each when it is opened, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import plain_signature as plain
from damaged import damaged_files
from policies import named_policies

from tailc.artifact.flat_form import encode_flat

COLUMNS = ("file", "keys", "now_s", "service", "held_generation", "error", "about")
ONE, TWO = plain.key_for_tests("tailc test key 1"), plain.key_for_tests("tailc test key 2")
STRANGER = plain.key_for_tests("tailc test key 3")
KEY_FILES = {"test-key-1.pem": ONE, "test-key-2.pem": TWO}
KEY_1, KEY_2 = KEY_FILES
BOTH = f"{KEY_1} {KEY_2}"

EXPIRES_S = 1_800_000_000
YEAR_9999_S = 253_402_300_799
NEVER_S, LARGEST_S = 0, 2**64 - 1
SERVICE, GENERATION = "smallest", 7


class Case(NamedTuple):
    """What is asked when `file` is opened, and the word of its refusal; empty: it opens."""

    file: str
    error: str
    about: str
    keys: str = KEY_1
    now_s: int | str = ""
    service: str = ""
    held_generation: int | str = ""


def write_signed(folder: Path) -> list[list[str]]:
    """The keys and the files in `folder`; the rows of its expected.csv."""
    for name, key in KEY_FILES.items():
        (folder / name).write_bytes(plain.public_pem(key))
    files = {f"{name}.tailc": data for name, data in _files().items()}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    cases = [case._replace(file=f"{case.file}.tailc") for case in _cases()]
    assert {case.file for case in cases} == files.keys()
    rows = [[str(getattr(case, column)) for column in COLUMNS] for case in cases]
    assert not any("," in cell for row in rows for cell in row)
    return rows


def _files() -> dict[str, bytes]:
    policy = replace(named_policies()[SERVICE][1], generation=GENERATION)
    sealed = encode_flat(policy)
    good = plain.signed(sealed, ONE)
    expiring = plain.signed(sealed, ONE, EXPIRES_S)
    return {
        "unsigned": sealed,
        "good": good,
        "good-2": plain.signed(sealed, TWO),
        "stranger": plain.signed(sealed, STRANGER),
        "expiring": expiring,
        "expiring-9999": plain.signed(sealed, ONE, YEAR_9999_S),
        "expiring-last": plain.signed(sealed, ONE, LARGEST_S),
        "plan": plain.signed(encode_flat(named_policies()["plan-smallest"][1]), ONE),
        "tail-table": plain.signed(encode_flat(named_policies()["tails-smallest"][1]), ONE),
        **_forged(sealed, good, expiring),
        **_cut(sealed, good),
        **_damaged(good),
        **_unopenable(),
    }


def _forged(sealed: bytes, good: bytes, expiring: bytes) -> dict[str, bytes]:
    """Whole files that the key named in them never signed."""
    other = encode_flat(named_policies()["rate"][1])
    evil = plain.resealed(sealed.replace(b"smallest", b"largest_"))
    start = -plain.TRAILER_BYTES
    return {
        "of-another-file": other + plain.trailer_of(good),
        "payload-resealed": evil + plain.trailer_of(good),
        "of-another-key": plain.signed(sealed, TWO, stated=plain.key_id(ONE)),
        "order-added": plain.with_order_added(good),
        "zero-signature": plain.mended(good[: start + plain.VALUE_AT] + bytes(72)),
        "expiry-flip-mended": plain.mended(plain.flipped(expiring, start + plain.EXPIRY_AT)),
        "expiry-removed": plain.mended(
            expiring[: start + plain.EXPIRY_AT] + bytes(8) + expiring[start + plain.KEY_ID_AT :]
        ),
        "key-id-flip-mended": plain.mended(plain.flipped(good, start + plain.KEY_ID_AT)),
        "signature-flip-mended": plain.mended(plain.flipped(good, start + plain.VALUE_AT)),
    }


def _cut(sealed: bytes, good: bytes) -> dict[str, bytes]:
    """Files of another length than they were written with."""
    trailer = plain.trailer_of(good)
    return {
        "cut-by-1": good[:-1],
        "cut-in-signature": good[:-40],
        "cut-at-front": good[1:],
        "appended": good + b"\0",
        "appended-seal": good + sealed[-plain.SEAL_BYTES :],
        "signed-twice": good + trailer,
        "trailer-alone": trailer,
        "without-seal": sealed[: -plain.SEAL_BYTES] + trailer,
    }


def _damaged(good: bytes) -> dict[str, bytes]:
    """Files of the right length in which one bit is the other way."""
    start, seal = -plain.TRAILER_BYTES, -plain.TRAILER_BYTES - plain.SEAL_BYTES
    return {
        "payload-flip": plain.flipped(good, len(good) // 3),
        "seal-magic-flip": plain.flipped(good, seal),
        "seal-length-flip": plain.flipped(good, seal + 8),
        "seal-hash-flip": plain.flipped(good, seal + 16),
        "magic-flip": plain.flipped(good, start),
        "expiry-flip": plain.flipped(good, start + plain.EXPIRY_AT),
        "key-id-flip": plain.flipped(good, start + plain.KEY_ID_AT),
        "signature-flip": plain.flipped(good, start + plain.VALUE_AT),
        "check-flip": plain.flipped(good, -1),
    }


def _unopenable() -> dict[str, bytes]:
    """Properly signed, and refused for what is in them."""
    damaged = damaged_files()
    names = ("later-rule", "later-form", "later-major", "nonsense", "plan-overbooked")
    nothing = plain.resealed(b"TLCSEAL1" + bytes(40))
    return {
        **{name: plain.signed(damaged[f"{name}.tailc"][1], ONE) for name in names},
        "nothing": plain.signed(nothing, ONE),
        "nonsense-of-stranger": plain.signed(damaged["nonsense.tailc"][1], STRANGER),
    }


def _cases() -> Iterator[Case]:
    yield from _trusted()
    yield from _untrusted()
    yield from _expiring()
    yield from _wrong_bytes()
    yield from _wrong_content()
    yield from _other_policies()


def _trusted() -> Iterator[Case]:
    yield Case("good", "", "signed with the one key that is trusted")
    yield Case("good", "", "signed with the first of two trusted keys", BOTH)
    yield Case("good-2", "", "signed with the second of two trusted keys", BOTH)
    yield Case("good", "", "signed; no key is trusted and so nothing is asked of it", "")
    yield Case("unsigned", "", "not signed; no key is trusted", "")
    yield Case("plan", "", "a signed plan")
    yield Case("tail-table", "", "a signed tail table")


def _untrusted() -> Iterator[Case]:
    yield Case("unsigned", "unsigned", "not signed; but a key is trusted")
    yield Case("good-2", "unknown-key", "signed with another key than the trusted one")
    yield Case("stranger", "unknown-key", "signed with none of two trusted keys", BOTH)
    yield Case("stranger", "", "signed with an unknown key; no key is trusted", "")
    forged = {
        "of-another-file": "the signature of another file below a policy",
        "payload-resealed": "another name in the payload; its seal mended",
        "of-another-key": "signed with another key; says it is the trusted one",
        "order-added": "the order of the group added to the signature's second half",
        "zero-signature": "a signature of zeros",
        "expiry-flip-mended": "one bit of the expiry flipped; the check mended",
        "expiry-removed": "the expiry set to never; the check mended",
        "signature-flip-mended": "one bit of the signature flipped; the check mended",
    }
    for file, about in forged.items():
        yield Case(file, "bad-signature", about, now_s=EXPIRES_S + 10)
    yield Case("of-another-key", "bad-signature", "both keys trusted; but not the stated one", BOTH)
    yield Case("signature-flip-mended", "", "no key is trusted: only the check is checked", "")
    about = "one bit of the key id flipped; the check mended"
    yield Case("key-id-flip-mended", "unknown-key", about)


def _expiring() -> Iterator[Case]:
    last = EXPIRES_S - 1
    yield Case("expiring", "", "in the last second before its expiry", now_s=last)
    yield Case("expiring", "expired", "at the second of its expiry", now_s=EXPIRES_S)
    yield Case("expiring", "expired", "long after its expiry", now_s=YEAR_9999_S)
    yield Case("expiring", "", "expired; but no key is trusted", "", YEAR_9999_S)
    yield Case("good", "", "expires never", now_s=YEAR_9999_S)
    yield Case("expiring-9999", "", "expires in the future; the clock is the system's")
    yield Case("expiring-last", "", "expires at 2^64 - 1; the clock is the system's")
    yield Case("expiring-last", "", "expires at 2^64 - 1; a late clock", now_s=2**53)


def _wrong_bytes() -> Iterator[Case]:
    lengths = {
        "cut-by-1": "the last byte cut off",
        "cut-in-signature": "cut in the middle of the signature",
        "cut-at-front": "the first byte cut off",
        "appended": "one byte appended",
        "appended-seal": "a seal appended to a signed file",
        "signed-twice": "two signatures one below the other",
        "trailer-alone": "a signature and nothing before it",
        "without-seal": "a signature below a payload without seal",
        "seal-magic-flip": "one bit of the seal's magic flipped",
        "seal-length-flip": "one bit of the seal's length flipped",
        "magic-flip": "one bit of the signature's magic flipped",
    }
    hashes = {
        "payload-flip": "one bit of the payload flipped below a good signature",
        "seal-hash-flip": "one bit of the sealed hash flipped",
        "expiry-flip": "one bit of the expiry flipped",
        "key-id-flip": "one bit of the key id flipped",
        "signature-flip": "one bit of the signature flipped",
        "check-flip": "one bit of the check flipped",
    }
    for error, by_file in (("truncated", lengths), ("hash-mismatch", hashes)):
        for file, about in by_file.items():
            yield Case(file, error, about)
            yield Case(file, error, f"{about}; no key is trusted", "")


def _wrong_content() -> Iterator[Case]:
    yield Case("later-rule", "unknown-rule", "signed; needs a rule of a later version")
    yield Case("later-form", "unknown-form", "signed; has a form of a later version")
    yield Case("later-major", "unknown-schema", "signed; of a later major version")
    yield Case("nonsense", "bad-structure", "signed; but no policy")
    yield Case("plan-overbooked", "bad-meaning", "signed; but contradicts itself")
    yield Case("nothing", "bad-structure", "a signed file of 144 bytes: nothing was sealed")
    about = "no policy and signed with an unknown key: the signature comes first"
    yield Case("nonsense-of-stranger", "unknown-key", about)


def _other_policies() -> Iterator[Case]:
    held = GENERATION
    yield Case("good", "", "the service that was asked for", service=SERVICE)
    yield Case("good", "", "the right service and a newer generation", KEY_1, "", SERVICE, held - 1)
    yield Case("good", "", "of the same generation as the one held", held_generation=held)
    yield Case("good", "other-service", "of another service", service="largest")
    yield Case("good", "other-service", "of a service with a longer name", service="smallest2")
    yield Case("good", "older-generation", "of an older generation", held_generation=held + 1)
    yield Case(
        "unsigned", "", "not signed; service and generation are asked", "", "", SERVICE, held
    )
    yield Case("unsigned", "other-service", "not signed; another service", "", service="large")
    about = "not signed; an older generation"
    yield Case("unsigned", "older-generation", about, "", held_generation=held + 1)
    about = "another service and an older generation: the service comes first"
    yield Case("good", "other-service", about, KEY_1, "", "largest", held + 1)
    about = "expired and of another service: the signature comes first"
    yield Case("expiring", "expired", about, KEY_1, EXPIRES_S, "largest")
    about = "contradicts itself and is of another service: the meaning comes first"
    yield Case("plan-overbooked", "bad-meaning", about, service="largest")
