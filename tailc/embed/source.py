"""A policy as one source file: its content, and its text in a language."""

from __future__ import annotations

from pathlib import Path

from tailc.artifact.envelope import Policy
from tailc.embed.content import EmbeddedPolicy
from tailc.embed.language import Language
from tailc.embed.naming import choose_name
from tailc.embed.tables import flatten_ladders
from tailc.errors import Code, Finding, TailcError


def build_content(policy: Policy, digest: str, whole: bytes, *, is_sealed: bool) -> EmbeddedPolicy:
    """Build the content: tables for ladders unless `is_sealed`, else the bytes of the `.tailc`
    file.
    """
    in_full = bool(policy.ladders) and not is_sealed
    return EmbeddedPolicy(
        policy.name,
        policy.kind,
        policy.generation,
        digest,
        form=_form_of(policy),
        content=flatten_ladders(policy) if in_full else whole,
        is_sealed_by_wish=is_sealed and bool(policy.ladders),
    )


def format_source(
    what: EmbeddedPolicy, language: Language, file: Path, name: str | None
) -> tuple[str, str]:
    """Format the file; return its text and the identifier of the policy.

    name: the identifier, or None for the default of the language. Raises TailcError for a name that
    the language does not accept, and for content that it cannot open.
    """
    body = language.body_of(what)
    if body is None:
        raise TailcError(_no_runtime(what, language))
    called = choose_name(what.policy_name, language, file, name)
    return f"{language.header(what, called)}\n{body(called)}", called


def _form_of(policy: Policy) -> str:
    forms = {
        "ladders": policy.ladders,
        "a tail table": policy.tail_table,
        "shares": policy.shares,
        "a plan": policy.plan,
    }
    form = next(words for words, form_part in forms.items() if form_part)
    return f"{form} and a controller" if policy.controller else form


def _no_runtime(what: EmbeddedPolicy, language: Language) -> Finding:
    message = f"{language.called} has no runtime that opens {what.form}"
    help_ = "give --lang cpp, and call that from C"
    if what.is_sealed_by_wish:
        help_ = "leave --sealed away: ladders are embedded in full"
    return Finding(Code.USAGE, message, help=help_)
