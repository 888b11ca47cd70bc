"""Files that a reader must refuse, each with the one thing that is wrong with it."""

from __future__ import annotations

from typing import Any

from changed import changed
from damaged_batteries import damaged_batteries
from damaged_budgets import damaged_budgets
from damaged_controls import damaged_controls
from damaged_overloads import damaged_overloads
from damaged_plans import damaged_plans
from damaged_settings import damaged_settings
from damaged_sharings import damaged_sharings
from damaged_tails import damaged_tails
from flatbuffers import Builder
from policies import named_policies

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.artifact.seal import seal, unseal

# A rule, a form and a major version that no reader of version 1.0 knows.
LATER_RULE = "later-rule"
LATER_NUMBER = 200


def damaged_files() -> dict[str, tuple[str, bytes]]:
    """File name to the error it must give and its bytes."""
    policy = named_policies()["classes"][1]
    flat, document = encode_flat(policy), encode_json(policy)
    middle = len(flat) // 2
    return {
        "empty.tailc": ("truncated", b""),
        "truncated.tailc": ("truncated", flat[:-1]),
        "appended.tailc": ("truncated", flat + b"\0"),
        "bit-flip.tailc": ("hash-mismatch", _flip(flat, middle)),
        "hash-flip.tailc": ("hash-mismatch", _flip(flat, len(flat) - 1)),
        "nonsense.tailc": ("bad-structure", seal(b"\x10\0\0\0TLC1" + b"\xff" * 64)),
        "other-identifier.tailc": ("bad-structure", seal(_renamed(unseal(flat)))),
        "later-rule.tailc": ("unknown-rule", _later(b"reread-row", LATER_RULE.encode())),
        "later-rule-number.tailc": ("unknown-rule", seal(_later_number(b"later-rule"))),
        "later-rule-known-name.tailc": ("unknown-rule", seal(_later_number(b"reread-row"))),
        "later-form.tailc": ("unknown-form", seal(_later_form())),
        "later-major.tailc": ("unknown-schema", seal(_later_major())),
        "truncated.json": ("bad-structure", document[:-1]),
        "not-canonical.json": ("not-canonical", document + b"\n"),
        "duplicate.json": ("bad-structure", b'{"format":1,' + document[1:]),
        "float.json": ("bad-structure", document.replace(b'"generation":1', b'"generation":1.5')),
        "digest.json": ("hash-mismatch", document.replace(b'"generation":1', b'"generation":2')),
        "later-rule.json": ("unknown-rule", changed(document, _with_later_rule)),
        "later-form.json": ("unknown-form", changed(document, _with_later_form)),
        "later-major.json": ("unknown-schema", changed(document, _with_later_major)),
        "descending.json": ("bad-meaning", changed(document, _with_descending_ages)),
        "missing.json": ("bad-structure", changed(document, _without_guard)),
        "null.json": ("bad-structure", changed(document, _with_null)),
        "true.json": ("bad-structure", changed(document, _with_true)),
        "unknown.json": ("bad-structure", changed(document, _with_unknown_member)),
        **damaged_controls(),
        **damaged_tails(),
        **damaged_plans(),
        **damaged_batteries(),
        **damaged_overloads(),
        **damaged_sharings(),
        **damaged_settings(),
        **damaged_budgets(),
    }


def _flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def _renamed(payload: bytes) -> bytes:
    return payload[:4] + b"TLC9" + payload[8:]


def _later(known: bytes, later: bytes) -> bytes:
    """The Lucene policy with one rule's name, and only that, replaced by one of a later version."""
    payload = unseal(encode_flat(named_policies()["lucene"][1]))
    assert payload.count(known) == 1
    assert len(known) == len(later)
    return seal(payload.replace(known, later))


def _later_number(name: bytes) -> bytes:
    """The Lucene policy with the number of one rule replaced by one of a later version."""
    payload = unseal(encode_flat(named_policies()["lucene"][1]))
    known, later = (bytes([3, 0, 0, 0, 3, 2, last]) for last in (1, LATER_NUMBER))
    assert payload.count(known) == 1
    return payload.replace(known, later).replace(b"reread-row", name)


def _later_form() -> bytes:
    builder = Builder()
    name = builder.CreateString("later-form")
    unknown_table = _empty_table(builder)
    fbs.FormBoxStart(builder)
    fbs.FormBoxAddFormType(builder, LATER_NUMBER)
    fbs.FormBoxAddForm(builder, unknown_table)
    fbs.FormBoxAddFormName(builder, name)
    box = fbs.FormBoxEnd(builder)
    fbs.PolicyStartFormsVector(builder, 1)
    builder.PrependUOffsetTRelative(box)
    forms = builder.EndVector()
    text = builder.CreateString("later")
    fbs.PolicyStart(builder)
    fbs.PolicyAddSchemaMajor(builder, 1)
    fbs.PolicyAddForms(builder, forms)
    for add in (fbs.PolicyAddName, fbs.PolicyAddKind, fbs.PolicyAddPolicyDigest):
        add(builder, text)
    return _finished(builder)


def _empty_table(builder: Builder) -> int:
    builder.StartObject(0)
    return builder.EndObject()


def _later_major() -> bytes:
    """What is sure to stay in later versions, and nothing else."""
    builder = Builder()
    fbs.PolicyStart(builder)
    fbs.PolicyAddSchemaMajor(builder, 2)
    return _finished(builder)


def _finished(builder: Builder) -> bytes:
    builder.Finish(fbs.PolicyEnd(builder), b"TLC1")
    return bytes(builder.Output())


def _with_later_rule(policy: dict[str, Any]) -> None:
    policy["forms"][0]["rules"].append(LATER_RULE)


def _with_later_form(policy: dict[str, Any]) -> None:
    policy["forms"][1]["form"] = "later-form"


def _with_later_major(policy: dict[str, Any]) -> None:
    policy["schema"] = {"major": 2, "minor": 0}


def _with_descending_ages(policy: dict[str, Any]) -> None:
    policy["forms"][0]["rows"][1]["climbs"].reverse()


def _without_guard(policy: dict[str, Any]) -> None:
    del policy["forms"][0]["guard"]


def _with_null(policy: dict[str, Any]) -> None:
    """An absent member is absent: `null` does not say so."""
    policy["forms"][0]["rows"][-1]["last_load"] = None


def _with_true(policy: dict[str, Any]) -> None:
    """In some languages `true` equals 1, but it is no whole number."""
    first, second = policy["forms"][0]["rows"][:2]
    first.update(first_load=0, last_load=True)
    second["first_load"] = 2


def _with_unknown_member(policy: dict[str, Any]) -> None:
    """Only a later minor version may have one."""
    policy["forms"][0]["rows"][0]["colour"] = 3
