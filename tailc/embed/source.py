"""A policy as one source file: what it holds, and in which language."""

from __future__ import annotations

from pathlib import Path

from tailc.artifact.envelope import Policy
from tailc.embed.embedded import Embedded
from tailc.embed.language import Language
from tailc.embed.naming import name_for
from tailc.embed.tables import tables_of
from tailc.errors import Code, Finding, TailcError


def embedded(policy: Policy, digest: str, whole: bytes, *, is_sealed: bool) -> Embedded:
    """Ladders as tables, unless they shall be sealed; all else as the bytes of its `.tailc`."""
    in_full = bool(policy.ladders) and not is_sealed
    return Embedded(
        policy.name,
        policy.kind,
        policy.generation,
        digest,
        form=_form_of(policy),
        content=tables_of(policy) if in_full else whole,
        is_sealed_by_wish=is_sealed and bool(policy.ladders),
    )


def source_of(what: Embedded, language: Language, file: Path, name: str | None) -> tuple[str, str]:
    """The file's text, and what code calls the policy: `name`, or by default as its language does.

    Raises TailcError for a name that the language cannot have, and for what it cannot hold.
    """
    body = language.body_of(what)
    if body is None:
        raise TailcError(_no_runtime(what, language))
    called = name_for(what.policy_name, language, file, name)
    return f"{language.header(what, called)}\n{body(called)}", called


def _form_of(policy: Policy) -> str:
    forms = {
        "ladders": policy.ladders,
        "a tail table": policy.tail_table,
        "shares": policy.shares,
        "a plan": policy.plan,
    }
    form = next(words for words, held in forms.items() if held)
    return f"{form} and a controller" if policy.controller else form


def _no_runtime(what: Embedded, language: Language) -> Finding:
    message = f"{language.called} has no runtime that opens {what.form}"
    help_ = "give --lang cpp, and call that from C"
    if what.is_sealed_by_wish:
        help_ = "leave --sealed away: ladders are embedded in full"
    return Finding(Code.USAGE, message, help=help_)
