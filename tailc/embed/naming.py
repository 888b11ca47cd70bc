"""What the code calls a policy: by the policy's name, by the file's, or as asked."""

from __future__ import annotations

from pathlib import Path

from tailc.embed.language import Language, NamedBy
from tailc.embed.names import MOST_CHARACTERS, camel, is_identifier, snake
from tailc.errors import Code, Finding, TailcError

# Of packages or namespaces around a name, in characters together.
_MOST_AROUND = 60


def name_for(policy_name: str, language: Language, file: Path, asked: str | None) -> str:
    """The name in a language; TailcError for one that it cannot have."""
    if language.named_by is NamedBy.FILE_ALONE:
        if asked is not None:
            message = f"a module of {language.called} is named by its file, not `{asked}`"
            raise _refused(message, "leave --name away")
        return file.stem
    name = asked
    if name is None:
        is_of_file = language.named_by is NamedBy.FILE
        name = file.stem if is_of_file else _default(policy_name, language)
    _check(name, language, policy_name)
    simple = name.rpartition(language.separator or ".")[2]
    if language.named_by is NamedBy.FILE and simple != file.stem:
        message = f"a class `{simple}` cannot be in `{file}`, which is named otherwise"
        raise _refused(message, f"give -o {file.with_name(simple + file.suffix)}")
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
    raise _refused(f"`{name}` cannot be a name in {language.called}", help_)


def _refused(message: str, help_: str) -> TailcError:
    return TailcError(Finding(Code.USAGE, message, help=help_))
