"""Read canonical JSON (RFC 8785, whole numbers only) with the standard library."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NoReturn

from tailc_runtime.errors import BadStructure, HashMismatch, NotCanonical, UnknownSchema
from tailc_runtime.json_forms import form_in, refuse_unknown_members
from tailc_runtime.members import object_in, objects, text, whole
from tailc_runtime.raw import SCHEMA_MAJOR, SCHEMA_MINOR, Head, RawForm

_LARGEST = 2**53 - 1
_MOST_DIGITS = 17


def read_json(data: bytes) -> tuple[Head, list[RawForm]]:
    """Header and forms of the policy in `data`; raises PolicyError unless it is canonical and
    complete."""
    policy = _parse(data)
    minor = _check_version(policy)
    if _canonical(policy) != data:
        raise NotCanonical("the JSON is not in its canonical form")
    digest = text(policy, "policy_digest")
    rest = {name: part for name, part in policy.items() if name != "policy_digest"}
    if hashlib.sha256(_canonical(rest)).hexdigest() != digest:
        raise HashMismatch("the policy does not match its digest")
    head = Head(text(policy, "name"), text(policy, "kind"), whole(policy, "generation"), digest)
    forms = [form_in(form) for form in objects(policy, "forms")]
    if minor <= SCHEMA_MINOR:
        refuse_unknown_members(policy)
    return head, forms


def _parse(data: bytes) -> dict[str, Any]:
    try:
        policy = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_members,
            parse_int=_number,
            parse_float=_not_whole,
            parse_constant=_not_whole,
        )
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise BadStructure(f"the file is not JSON: {error}") from error
    if not isinstance(policy, dict):
        raise BadStructure("a policy is a JSON object")
    return policy


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise BadStructure("a member occurs twice in one object")
    return members


def _number(text: str) -> int:
    if len(text) > _MOST_DIGITS or abs(int(text)) > _LARGEST:
        raise BadStructure(f"`{text[:20]}` is outside -(2^53 - 1) to 2^53 - 1")
    return int(text)


def _not_whole(text: str) -> NoReturn:
    raise BadStructure(f"`{text[:20]}` is not a whole number")


def _canonical(value: Any) -> bytes:
    try:
        text = json.dumps(_ordered(value), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8")
    except (UnicodeEncodeError, RecursionError) as error:
        raise BadStructure(f"no canonical JSON exists: {error}") from error


def _ordered(value: Any) -> Any:
    """Members in the order of the UTF-16 code units of their names (RFC 8785, section 3.2.3)."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return {name: _ordered(value[name]) for name in names}
    return [_ordered(part) for part in value] if isinstance(value, list) else value


def _check_version(policy: dict[str, Any]) -> int:
    """Check the schema version, and return its minor number."""
    if policy.get("format") != "tailc-policy":
        raise BadStructure("this is not a tailc policy")
    schema = object_in(policy, "schema")
    major, minor = whole(schema, "major"), whole(schema, "minor")
    if schema.keys() != {"major", "minor"} or minor < 0:
        raise BadStructure("member `schema` should state major and minor")
    if major != SCHEMA_MAJOR:
        raise UnknownSchema(f"unknown schema `{major}.{minor}`")
    return minor
