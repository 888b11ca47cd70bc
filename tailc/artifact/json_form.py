"""Canonical JSON (RFC 8785), and the digest that both encodings contain."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NoReturn

import rfc8785

from tailc.artifact.envelope import SCHEMA_MAJOR, SCHEMA_MINOR, Policy
from tailc.artifact.plain import Plain, from_plain, to_plain
from tailc.artifact.refusal import Refusal, refusals_about
from tailc.artifact.shapes import LARGEST_WHOLE, oldest_minor, record_of
from tailc.errors import Code

FORMAT = "tailc-policy"
_WRAPPING = ("format", "schema", "policy_digest")
_MOST_DIGITS = len(str(LARGEST_WHOLE)) + 1


def encode_json(policy: Policy) -> bytes:
    """Encode a policy as canonical JSON, including its digest.

    Raises TailcError for a policy that JSON cannot represent: a number beyond 2^53 - 1 or a string
    that is not Unicode.
    """
    with refusals_about(policy.name):
        document = _document(policy)
        document["policy_digest"] = _digest(document)
        return canonical(document)


def digest_of(policy: Policy) -> str:
    """Compute the digest of a policy: hex SHA-256 of its canonical JSON without `policy_digest`."""
    return _digest(_document(policy))


def decode_json(data: bytes, source: str = "policy.json") -> Policy:
    """Decode JSON into a policy; TailcError about `source` unless it is canonical and valid.

    Checks, in this order: JSON, format and schema version, canonical form, digest, structure,
    meaning.
    """
    with refusals_about(source):
        document = _parse(data)
        minor = _check_version(document)
        if canonical(document) != data:
            raise Refusal(
                Code.NOT_CANONICAL,
                "the JSON is not in its canonical form (RFC 8785)",
                "compile the policy again: it cannot be edited by hand",
            )
        _check_digest(document)
        body = {key: part for key, part in document.items() if key not in _WRAPPING}
        policy = from_plain(record_of(Policy), body, ignore_unknown=minor > SCHEMA_MINOR)
        check_minor(policy, minor)
        if minor > SCHEMA_MINOR:
            check_is_newer(to_plain(record_of(Policy), policy) != body)
        return policy


def canonical_of(data: bytes, source: str = "policy.json") -> bytes:
    """Return the canonical bytes of a JSON policy in any layout; TailcError for other data."""
    with refusals_about(source):
        document = _parse(data)
        _check_version(document)
        return canonical(document)


def check_major(major: int, minor: int) -> None:
    """Raise Refusal if a policy's schema has a major version that this tailc does not know."""
    if major != SCHEMA_MAJOR:
        raise Refusal(
            Code.UNKNOWN_SCHEMA,
            f"schema `{major}.{minor}` is unknown to this version, which reads `{SCHEMA_MAJOR}.*`",
            "use a newer version of tailc, or the one that wrote the policy",
        )


def minor_of(policy: Policy) -> int:
    """The minor version of the schema to write a policy in: the oldest that can represent it.

    A policy that uses nothing new therefore stays readable for old readers. Writing it again gives
    the same bytes and the same digest.
    """
    return oldest_minor(record_of(Policy), policy)


def check_minor(policy: Policy, stated: int) -> None:
    """Raise Refusal if a policy states a minor version of the schema other than its own.

    stated: a version that tailc knows. The policy's own version is the oldest that can represent
    it.
    """
    own = minor_of(policy)
    if stated <= SCHEMA_MINOR and stated != own:
        message = (
            f"the policy needs schema `{SCHEMA_MAJOR}.{own}`, but states `{SCHEMA_MAJOR}.{stated}`"
        )
        raise Refusal(Code.BAD_STRUCTURE, message)


def check_is_newer(has_unknown: bool) -> None:
    """Raise Refusal if a policy states a newer minor version but has no unknown field.

    has_unknown: whether it has one.
    """
    if not has_unknown:
        message = (
            f"the policy states a schema after `{SCHEMA_MAJOR}.{SCHEMA_MINOR}`, but has no part"
        )
        raise Refusal(Code.BAD_STRUCTURE, f"{message} that is unknown to this version")


def canonical(document: Plain) -> bytes:
    """Encode plain values as RFC 8785 requires; Refusal if JSON cannot represent them."""
    try:
        return rfc8785.dumps(document)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise Refusal(Code.BAD_ARTIFACT, f"the JSON has no canonical form: {error}") from error
    except RecursionError as error:
        raise Refusal(Code.BAD_STRUCTURE, "the JSON is nested too deeply") from error


def _document(policy: Policy) -> Plain:
    plain = to_plain(record_of(Policy), policy)
    schema = {"major": SCHEMA_MAJOR, "minor": minor_of(policy)}
    return {"format": FORMAT, "schema": schema, **plain}


def _digest(document: Plain) -> str:
    unsigned = {key: part for key, part in document.items() if key != "policy_digest"}
    return hashlib.sha256(canonical(unsigned)).hexdigest()


def _check_digest(document: Plain) -> None:
    stated, actual = document.get("policy_digest"), _digest(document)
    if stated != actual:
        raise Refusal(
            Code.HASH_MISMATCH, f"the policy's digest is `{actual}`, but it states `{stated}`"
        )


def _check_version(document: Plain) -> int:
    if document.get("format") != FORMAT:
        raise Refusal(Code.BAD_STRUCTURE, f"member `format` should be `{FORMAT}`")
    schema = document.get("schema")
    if not isinstance(schema, dict) or schema.keys() != {"major", "minor"}:
        raise Refusal(Code.BAD_STRUCTURE, "member `schema` should state major and minor")
    major, minor = schema["major"], schema["minor"]
    if type(major) is not int or type(minor) is not int or minor < 0:
        raise Refusal(
            Code.BAD_STRUCTURE,
            "`major` and `minor` of `schema` should be whole numbers, and `minor` at least 0",
        )
    check_major(major, minor)
    return minor


def _parse(data: bytes) -> Plain:
    """The JSON object in `data`; Refusal for duplicate members and numbers that are not whole."""
    try:
        document = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_members,
            parse_int=_whole,
            parse_float=_not_whole,
            parse_constant=_not_whole,
        )
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise Refusal(Code.BAD_STRUCTURE, f"the file is not JSON: {error}") from error
    except RecursionError as error:
        raise Refusal(Code.BAD_STRUCTURE, "the JSON is nested too deeply") from error
    if not isinstance(document, dict):
        raise Refusal(Code.BAD_STRUCTURE, "a policy is a JSON object")
    return document


def _members(pairs: list[tuple[str, Any]]) -> Plain:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Refusal(Code.BAD_STRUCTURE, f"member `{twice}` occurs twice in one object")
    return members


def _whole(text: str) -> int:
    # Length first: int() of a hostile literal takes time quadratic in its digits.
    if len(text) > _MOST_DIGITS or abs(int(text)) > LARGEST_WHOLE:
        raise Refusal(Code.BAD_STRUCTURE, f"`{text[:20]}` is outside -(2^53 - 1) to 2^53 - 1")
    return int(text)


def _not_whole(text: str) -> NoReturn:
    raise Refusal(Code.BAD_STRUCTURE, f"`{text[:20]}` is not a whole number")
