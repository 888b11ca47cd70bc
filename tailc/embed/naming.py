"""The identifier of a policy in source code: from the policy, from the file, or from --name."""

from __future__ import annotations

from pathlib import Path

from tailc.embed.language import Language, NamedBy
from tailc.embed.names import MOST_CHARACTERS, camel, is_identifier, snake
from tailc.errors import Code, Finding, TailcError

# Limit for packages or namespaces around a name [characters].
_MOST_AROUND = 60


def choose_name(policy_name: str, language: Language, file: Path, requested: str | None) -> str:
    """Choose the identifier of a policy; TailcError if the language does not accept it."""
    if language.named_by is NamedBy.FILE_ALONE:
        if requested is not None:
            message = f"a module of {language.called} is named by its file, not `{requested}`"
            raise _usage_error(message, "leave --name away")
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
