"""Options from the nearest `tailc.toml`, or `[tool.tailc]` of a `pyproject.toml`.

An option on the command line has precedence over its variable of the environment, this over the
file, and this over the default.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from tailc.errors import Code, Finding, Place, TailcError, did_you_mean

NAMES = ("tailc.toml", "pyproject.toml")
# Keys outside a table: options of all commands, and some that several commands have.
COMMON = (
    "color",
    "log-format",
    "output-format",
    "progress",
    "quiet",
    "signers",
    "trust",
    "verbose",
)
# The header of the table, or of one below it.
_TOOL = re.compile(r"""^\s*\[\s*["']?tool["']?\s*\.\s*["']?tailc["']?\s*[.\]]""", re.MULTILINE)
_NEVER = ("help", "version", "config", "isolated")


@dataclass(frozen=True)
class OptionFile:
    """A configuration file: its tables of option values.

    prefix: name of the table that contains them, such as `tool.tailc`.
    """

    path: str
    text: str
    tables: Mapping[str, Any]
    prefix: str = ""

    def line_of(self, command: str, key: str) -> int | None:
        """Line of a key in the configuration file; None if it is written in another way.

        command: name of the table; empty for keys outside of tables.
        """
        table = ".".join(filter(None, (self.prefix, *command.split())))
        here = ""
        for number, line in enumerate(self.text.splitlines(), start=1):
            if header := re.match(r"\s*\[([^\[\]]+)\]", line):
                here = re.sub(r"[\s\"']", "", header[1])
            if here == table and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
                return number
        return None

    def place(self, command: str, key: str) -> Place:
        """Place of a key in the configuration file, for findings about it."""
        line = self.line_of(command, key)
        excerpt = self.text.splitlines()[line - 1] if line else ""
        column = excerpt.find(key) + 1 or None
        return Place(self.path, line=line, column=column, width=len(key), excerpt=excerpt)

    def values(self, command: str) -> Iterator[tuple[str, str, Any]]:
        """Yield the options that the file sets for a command, as table, key and value.

        Those of the command's own table come after those for all commands.
        """
        yield from (("", key, value) for key, value in self.tables.items() if key in COMMON)
        table: Any = self.tables
        for word in command.split():
            table = table.get(word, {})
        if isinstance(table, dict):
            is_option = (pair for pair in table.items() if not isinstance(pair[1], dict))
            yield from ((command, key, value) for key, value in is_option)


def load_configuration(file: str | None, commands: Mapping[str, set[str]]) -> OptionFile | None:
    """Read the given configuration file, or the nearest one in the working directory and above.

    commands: words that may follow each command. None if there is no file. Raises TailcError if its
    content is not valid.
    """
    path = Path(file) if file else _nearest()
    if path is None:
        return None
    found = _parsed(path, is_named=file is not None)
    for key, value in found.tables.items():
        if key in commands and isinstance(value, dict):
            _check_table(found, key, value, commands[key])
        elif key not in COMMON or isinstance(value, dict):
            raise _refusal(found, "", key, _hint(key, commands))
    return found


def _check_table(
    found: OptionFile, command: str, table: Mapping[str, Any], below: Collection[str]
) -> None:
    """Refuse a table in that of a command, and a value instead of one.

    below: words that may follow the command, which have a table each.
    """
    for key, value in table.items():
        if isinstance(value, dict) and key not in below:
            hint = "an option has one value, or a list; only commands have tables"
            raise _failure(found, command, key, f"`[{command}.{key}]` is no command", hint)
        if key in below and not isinstance(value, dict):
            hint = f"write it as a table, `[{command}.{key}]`"
            raise _refusal(found, command, key, hint)


def _hint(key: str, commands: Mapping[str, set[str]]) -> str:
    if key in commands:
        return f"write it as a table, `[{key}]`, with options of `tailc {key}`"
    hint = did_you_mean(key, [*COMMON, *commands])
    return f"{hint}; options of one command are in its table, such as `[compile]`"


def _nearest() -> Path | None:
    """The configuration file of the working directory, or of the nearest folder above it.

    A folder that was removed or may not be searched has none.
    """
    try:
        folder = Path.cwd()
    except OSError:
        return None
    for above in (folder, *folder.parents):
        with suppress(OSError):
            for name in NAMES:
                path = above / name
                if path.is_file() and (name != "pyproject.toml" or _TOOL.search(_text(path))):
                    return path
    return None


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig", errors="replace")


def _parsed(path: Path, *, is_named: bool) -> OptionFile:
    import tomllib

    name = _displayed_path(path)
    hint = "check the path after --config, or in TAILC_CONFIG"
    try:
        if is_named and not path.is_file():
            raise TailcError([Finding(Code.CANNOT_READ, f"`{name}` is no file", Place(name), hint)])
        text = _text(path)
    except OSError as error:
        message = f"`{name}` cannot be read: {(error.strerror or str(error)).lower()}"
        hint = hint if is_named else "`tailc --isolated` reads no configuration file"
        raise TailcError([Finding(Code.CANNOT_READ, message, Place(name), hint)]) from None
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        message = "the file is not valid: its lists or tables are nested too deeply"
        hint = "an option has one value, or a list of texts"
        raise TailcError([Finding(Code.BAD_CONFIGURATION, message, Place(name), hint)]) from None
    except tomllib.TOMLDecodeError as error:
        where = re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
        line, column = (int(where[1]), int(where[2])) if where else (None, None)
        excerpt = text.splitlines()[line - 1] if line else ""
        message = f"the file is not valid TOML: {str(error).partition(' (at ')[0]}"
        place = Place(name, line=line, column=column, excerpt=excerpt)
        hint = "write keys as `name = value`, with text in quotation marks"
        raise TailcError([Finding(Code.BAD_CONFIGURATION, message, place, hint)]) from None
    if path.name != "pyproject.toml":
        return OptionFile(name, text, tables)
    found = OptionFile(name, text, {}, "tool.tailc")
    for key in found.prefix.split("."):
        tables = tables.get(key, {})
        if not isinstance(tables, dict):
            hint = "write options of `tailc` below `[tool.tailc]`"
            raise _failure(found, "", key, f"`{key}` is no table", hint)
    return replace(found, tables=tables)


def _displayed_path(path: Path) -> str:
    """The path below the working directory, or whole."""
    with suppress(OSError, ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)


def option_values(found: OptionFile, context: click.Context) -> dict[str, Any]:
    """Values of a command's options by parameter name, as the file states them.

    context: that of the command. TailcError for an unknown key, or a value that the option refuses.
    """
    command = context.info_name or ""
    options = options_of(context.command)
    values: dict[str, Any] = {}
    for table, key, value in found.values(command):
        option = options.get(key)
        if option is None:
            if table:
                hint = did_you_mean(key, list(options))
                raise _refusal(found, table, key, f"{hint}; `tailc {command} --help` lists them")
            continue
        try:
            words = _words(value, option.multiple + (option.nargs != 1))
            option.type_cast_value(context, words)
        except click.BadParameter as error:
            reason = error.message.rstrip(".")
            message = f"`{key}` has a wrong value: {reason[:1].lower()}{reason[1:]}"
            hint = f"`tailc {command} --help` describes the option"
            raise _failure(found, table, key, message, hint) from None
        values[option.name or ""] = words
    return values


def options_of(command: click.Command) -> dict[str, click.Option]:
    """Options that a file may set, by their long name without dashes."""
    return {
        name.removeprefix("--"): parameter
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in parameter.opts
        if name.startswith("--") and name.removeprefix("--") not in _NEVER
    }


def _words(value: Any, depth: int) -> Any:
    """A value as the command line has it: text, or lists of texts; true and false stay.

    depth: lists in each other that the option takes. BadParameter if the value has others.
    """
    if isinstance(value, list) != (depth > 0):
        raise click.BadParameter(
            "it must be a list" if depth else "it must be one value, not a list"
        )
    if isinstance(value, list):
        return [_words(item, depth - 1) for item in value]
    if isinstance(value, dict):
        raise click.BadParameter("a table is not accepted: write text, a number, true or false")
    return value if isinstance(value, bool) else str(value)


def _refusal(found: OptionFile, table: str, key: str, hint: str) -> TailcError:
    where = f" of `tailc {table}`" if table else ""
    return _failure(found, table, key, f"`{key}` is no option{where}", hint)


def _failure(found: OptionFile, table: str, key: str, message: str, hint: str) -> TailcError:
    place = found.place(table, key)
    return TailcError([Finding(Code.BAD_CONFIGURATION, message, place, hint)])
