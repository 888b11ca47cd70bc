"""Option type for a value of a search key, such as a method, that some kind of policy has."""

from __future__ import annotations

import runpy
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.shell_completion import CompletionItem


class SearchChoice(click.ParamType):
    """Option type: a value that some kind of policy lists under `name`, such as `Method`.

    The values are read from the files `choices.py` of the kinds when they are needed; an import of
    the kinds would take longer than many a command. Whether the kind of a spec has the value is
    checked with the spec.
    """

    name = "choice"

    def __init__(self, listed: str) -> None:
        self._listed = listed

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """List the accepted values for the help text of the option."""
        return self._choice.get_metavar(param, ctx)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check that some kind of policy has this value; else raise a usage error."""
        return self._choice.convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Suggest values that begin with `incomplete`, for completion in a shell."""
        return self._choice.shell_complete(ctx, param, incomplete)

    @cached_property
    def _choice(self) -> click.Choice[str]:
        return click.Choice(
            sorted({value for path in _files() for value in _values(path, self._listed)})
        )


def _files() -> Iterator[Path]:
    package = find_spec("tailc.policies")
    for folder in (package and package.submodule_search_locations) or ():
        yield from Path(folder).glob("*/choices.py")


def _values(path: Path, listed: str) -> tuple[str, ...]:
    return get_args(runpy.run_path(str(path)).get(listed))
