"""Read a spec file to a checked model, and report all complaints with their places."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from tailc.errors import Code, Finding, Place, TailcError, did_you_mean
from tailc.specs.common import API_VERSION
from tailc.specs.document import read_document
from tailc.specs.fields import Complaint, SpecModel, value_text
from tailc.specs.key_groups import group_keys, key_of, without_groups
from tailc.specs.older_keys import OlderKey, older_keys_in
from tailc.specs.sentences import Spot, complaints_of
from tailc.specs.tree import Document, Scalar, TextSpan, plain
from tailc.specs.unions import intended_errors, without_tags
from tailc.units import shorten

T = TypeVar("T", bound=SpecModel)
_HEAD = ("apiVersion", "kind")
# What every compiled policy has, and no spec.
_OF_POLICY = "policy_digest"


@dataclass(frozen=True)
class LoadedSpec:
    """A spec that passed its checks, with the document (text and tree) that it was read from."""

    model: SpecModel
    document: Document

    def place(self, *path: str | int) -> Place:
        """Place (file, line and column) of the value at a path of keys in the spec."""
        return self.document.place(self.document.span_of(path))

    def finding(self, complaint: Complaint) -> Finding:
        """Convert a complaint, whose paths begin at the root, to a finding with its place."""
        return _finding(self.document, (), complaint)


def open_spec(path: str, models: Mapping[str, type[SpecModel]]) -> LoadedSpec:
    """Read the spec in the file `path` (`-` is standard input), and check it.

    It is checked with the model of its kind. Raises TailcError with all findings.
    """
    return check_document(read_document(path), models)


def check_document(document: Document, models: Mapping[str, type[SpecModel]]) -> LoadedSpec:
    """Check the document with the model of its kind; raises TailcError with all findings."""
    if document.root.get(_OF_POLICY) is not None:
        raise TailcError(_policy_given(document))
    findings = list(_head_findings(document, models))
    model = models.get(kind_of(document) or "")
    # Both define the meaning of keys, so without them keys are not checked.
    if model is None or _is_of_another_version(document):
        raise TailcError(findings)
    keys = list(older_keys_in(document, model.older))
    if older := {key.at: key for key in reversed(keys) if key.is_in(document)}:
        raise TailcError([_finding_of_older(document, older[at]) for at in reversed(older)])
    try:
        checked = model.model_validate(plain(document.root))
    except ValidationError as fault:
        findings += _findings(document, model, fault)
        findings += _findings_between(document, model, fault)
    else:
        if not findings:
            return LoadedSpec(checked, document)
    raise TailcError(sorted(findings, key=_position))


def _policy_given(document: Document) -> Finding:
    message = f"`{shorten(document.source)}` is a compiled policy, not a spec"
    hint = (
        "give the spec from which the policy was compiled; to print a policy, use `tailc inspect`"
    )
    return Finding(Code.UNKNOWN_KIND, message, Place(document.source), hint)


def _finding_of_older(document: Document, key: OlderKey) -> Finding:
    place = document.place(document.key_span(key.at))
    message = f"`{key.written_in(document)}` is now written `{key.now_in(document)}`"
    hint = f"rewrite the spec with `tailc migrate {shorten(document.source, 200)}`"
    return Finding(Code.UNKNOWN_KEY, message, place, hint)


def check_part(document: Document, at: tuple[str | int, ...], model: type[T]) -> T:
    """Check the part of the document at a path with a model.

    Raises TailcError with all findings.
    """
    part = document.node_at(at)
    try:
        return model.model_validate(None if part is None else plain(part))
    except ValidationError as fault:
        findings = [
            _finding(document, (*at, *error["loc"]), complaint)
            for error in intended_errors(_errors(fault))
            for complaint in complaints_of(
                error, _spot(document, model, (*at, *error["loc"]), error["loc"])
            )
        ]
        raise TailcError(sorted(findings, key=_position)) from None


def _errors(fault: ValidationError) -> list[ErrorDetails]:
    """Errors of pydantic, each at its place in the spec."""
    errors = fault.errors(include_url=False)
    for error in errors:
        error["loc"] = without_groups(error["loc"])
    return errors


def _spot(
    document: Document,
    model: type[SpecModel],
    at: tuple[str | int, ...],
    path: tuple[str | int, ...],
) -> Spot:
    """The path in the model, with the text of the document at its own path."""
    node = document.node_at(at)
    return Spot(model, without_tags(path), node.text if isinstance(node, Scalar) else "")


def _position(finding: Finding) -> tuple[int, int]:
    place = finding.place
    return (place.line or 0, place.column or 0) if place else (0, 0)


def kind_of(document: Document) -> str | None:
    """The kind that the document states; None if it states none."""
    entry = document.root.get("kind")
    value = entry.value.value if entry and isinstance(entry.value, Scalar) else None
    return value if isinstance(value, str) else None


def _is_of_another_version(document: Document) -> bool:
    entry = document.root.get(_HEAD[0])
    value = plain(entry.value) if entry else None
    return value is not None and value != API_VERSION


def _head_findings(document: Document, models: Mapping[str, type[SpecModel]]) -> Iterator[Finding]:
    """Findings about the keys `apiVersion` and `kind`."""
    versions = [API_VERSION]
    for key, known in zip(_HEAD, (versions, sorted(models)), strict=True):
        entry = document.root.get(key)
        value = plain(entry.value) if entry else None
        if value is None:
            place = document.place(document.span_of((key,)))
            message = f"`{key}` is missing" if entry is None else f"`{key}` has no value"
            hint = f"write `{key}: {known[0]}`" if len(known) == 1 else did_you_mean("", known)
            yield Finding(Code.MISSING_KEY, message, place, hint)
        elif value not in known:
            place = document.place(document.span_of((key,)))
            message = f"`{key}` cannot be {value_text(value)}"
            yield Finding(Code.UNKNOWN_KIND, message, place, did_you_mean(str(value), known))


def _findings(
    document: Document, model: type[SpecModel], fault: ValidationError
) -> Iterator[Finding]:
    errors = intended_errors(_errors(fault))
    for error in errors:
        path = error["loc"]
        spot = _spot(document, model, path, path)
        if (len(path) == 1 and path[0] in _HEAD) or _follows_from(error, spot, errors):
            continue
        for complaint in complaints_of(error, spot):
            yield _finding(document, path, complaint)


def _findings_between(
    document: Document, model: type[SpecModel], fault: ValidationError
) -> Iterator[Finding]:
    """Findings about combinations of keys if other keys are wrong by themselves.

    pydantic runs these checks only if all keys are valid, so they run here on the valid keys.
    """
    wrong = {error["loc"][0] for error in fault.errors(include_url=False) if error["loc"]}
    if any(not error["loc"] for error in fault.errors(include_url=False)):
        return  # the checks have run
    for check in _right_keys(
        model, group_keys(model, plain(document.root)), wrong
    ).checks_between():
        try:
            complaints = check()
        except AttributeError:
            continue  # it reads a key that is wrong itself
        for complaint in complaints:
            yield _finding(document, (), complaint)


def _right_keys(
    model: type[SpecModel], values: Mapping[str, object], wrong: set[int | str]
) -> SpecModel:
    """A model with only the valid keys; other attributes raise AttributeError."""
    right: dict[str, object] = {}
    given: set[str] = set()
    for name, field in model.model_fields.items():
        key = key_of(name, field)
        if key in wrong:
            continue
        if key in values:
            right[name] = _adapter(model, name).validate_python(values[key])
            given.add(name)
        else:
            right[name] = field.get_default(call_default_factory=True)
    partial = model.model_construct(_fields_set=given)
    vars(partial).clear()
    vars(partial).update(right)
    return partial


@functools.cache
def _adapter(model: type[SpecModel], name: str) -> TypeAdapter[object]:
    """Validator of a single field; cached, because building it takes longer than checking a
    spec."""
    return TypeAdapter(model.model_fields[name].rebuild_annotation())


def _follows_from(error: ErrorDetails, spot: Spot, errors: Sequence[ErrorDetails]) -> bool:
    """Whether another error is the cause of `error`: a refused entry, or a misspelled key."""
    path = error["loc"]
    if error["type"] == "too_short":
        return any(other["loc"][: len(path)] == path != other["loc"] for other in errors)
    if error["type"] == "missing":
        strangers = (
            str(other["loc"][-1])
            for other in errors
            if other["type"] == "extra_forbidden" and other["loc"][:-1] == path[:-1]
        )
        meant = (get_close_matches(key, spot.siblings, n=1) for key in strangers)
        return [str(path[-1])] in meant
    return False


def _finding(document: Document, path: tuple[str | int, ...], complaint: Complaint) -> Finding:
    full = (*path, *complaint.at)
    of_key = complaint.code is Code.UNKNOWN_KEY
    span = document.key_span(full) if of_key else document.span_of(full)
    hint = complaint.help
    other = (*path, *complaint.also) if complaint.also is not None else None
    if other is not None and document.node_at(other) is not None:
        seen = f"`{path_text(document.existing(other))}` is {_where(document.span_of(other))}"
        hint = f"{hint}; {seen}" if hint else seen
    message = _sentence(_as_written(document, full, complaint.code), complaint)
    return Finding(complaint.code, message, document.place(span), hint)


def _where(span: TextSpan) -> str:
    return f"on line {span.line}" if span.origin is None else f"given by `{span.origin.source}`"


def _sentence(path: tuple[str | int, ...], complaint: Complaint) -> str:
    joint = ":" if complaint.message.startswith("`") else ""
    return f"`{path_text(path)}`{joint} {complaint.message}" if path else complaint.message


def _as_written(
    document: Document, path: tuple[str | int, ...], code: Code
) -> tuple[str | int, ...]:
    """The path without the steps that a short form omits; a missing key remains."""
    if code is Code.MISSING_KEY and document.node_at(path) is None:
        return (*document.existing(path[:-1]), path[-1])
    return document.existing(path)


def path_text(path: tuple[str | int, ...]) -> str:
    """Format a path, such as `slo[0].latency`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{shorten(step)}" for step in path)
    return text.removeprefix(".")
