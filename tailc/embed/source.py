"""A policy as one source file: its content, and its text in a language."""

from __future__ import annotations

from pathlib import Path

from tailc.artifact.envelope import Policy
from tailc.embed.content import EmbeddedPolicy
from tailc.embed.language import Language, NamedBy
from tailc.embed.names import MOST_CHARACTERS, camel, is_identifier, snake
from tailc.embed.tables import flatten_ladders
from tailc.errors import Code, Finding, TailcError


def build_content(policy: Policy, digest: str, whole: bytes, *, is_sealed: bool) -> EmbeddedPolicy:
    """Build what a source file embeds: the tables of the ladders, or the whole `.tailc` file.

    is_sealed: true for the `.tailc` file with its checksum, whose bytes are `whole`.
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
    """Format the source file that embeds a policy; return its text and the policy's identifier.

    name: the identifier, or None for the default of the language. Raises TailcError for a name that
    the language does not accept, and for a policy that the language's runtime cannot open.
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
        "a budget table": policy.budget_table,
    }
    form = next(words for words, form_part in forms.items() if form_part)
    return f"{form} and a controller" if policy.controller else form


def _no_runtime(what: EmbeddedPolicy, language: Language) -> Finding:
    message = (
        f"a source file in {language.called} takes only ladders, and the policy is {what.form}"
    )
    help_ = "open the `.tailc` file with a runtime in the server, or give --lang cpp"
    if what.is_sealed_by_wish:
        message = f"a source file in {language.called} takes no sealed bytes"
        help_ = "omit --sealed: ladders are embedded in full"
    return Finding(Code.USAGE, message, help=help_)


# Limit for packages or namespaces around a name [characters].
_MOST_AROUND = 60


def choose_name(policy_name: str, language: Language, file: Path, requested: str | None) -> str:
    """Choose the identifier of a policy; TailcError if the language does not accept it."""
    if language.named_by is NamedBy.FILE_ALONE:
        if requested is not None:
            message = f"a module of {language.called} is named by its file, not `{requested}`"
            raise _usage_error(message, "omit --name")
        return file.stem
    name = requested
    if name is None:
        is_of_file = language.named_by is NamedBy.FILE
        name = file.stem if is_of_file else _default(policy_name, language)
    _check(name, language, policy_name)
    simple = name.rpartition(language.separator or ".")[2]
    if language.named_by is NamedBy.FILE and simple != file.stem:
        message = f"a class `{simple}` cannot be in `{file}`, which is named otherwise"
        raise _usage_error(message, f"give -o {file.with_name(simple + file.suffix)}")
    return name


def _default(policy_name: str, language: Language) -> str:
    words = snake(policy_name)
    name = language.joined(words)
    return language.joined(f"{words}_policy") if name in language.reserved else name


def _check(name: str, language: Language, policy_name: str) -> None:
    parts = name.split(language.separator) if language.separator else [name]
    is_good = all(is_identifier(part) and part not in language.reserved for part in parts)
    if is_good and len(name) - len(parts[-1]) <= _MOST_AROUND:
        return
    words = snake(policy_name)
    is_class = language.named_by is NamedBy.FILE
    such = (
        f"-o {camel(words, is_capital=True)}.java"
        if is_class
        else f"--name {_default(policy_name, language)}"
    )
    help_ = f"letters, digits and single `_`, {MOST_CHARACTERS} at most, no keyword: {such}"
    raise _usage_error(f"`{name}` cannot be a name in {language.called}", help_)


def _usage_error(message: str, help_: str) -> TailcError:
    return TailcError(Finding(Code.USAGE, message, help=help_))
