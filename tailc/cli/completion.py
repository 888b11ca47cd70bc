"""Words that shells complete: specs and policies in a folder, and names in a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem

_SPECS, _POLICIES = (".yaml", ".yml"), (".tailc", ".json")
# Arguments by the endings of their files.
_FILES = {
    **dict.fromkeys(("spec", "specs"), _SPECS),
    **dict.fromkeys(("artifact", "artifacts", "old", "new"), _POLICIES),
}


def add_completion(command: click.Command, words: Sequence[str]) -> None:
    """Let shells complete the files and names that a command takes.

    words: the words that follow the command. click itself ignores them if an option has no value
    yet.
    """
    policy = next((word for word in words if word.endswith(_POLICIES)), "")
    for parameter in command.params:
        if isinstance(parameter, click.Argument) and parameter.name in _FILES:
            parameter.type = _FilesType(_FILES[parameter.name])
        elif parameter.name in _NAMES and isinstance(
            parameter.type, click.types.StringParamType | _NamesType
        ):
            parameter.type = _NamesType(_NAMES[parameter.name], policy)


class _FilesType(click.ParamType):
    name = "text"

    def __init__(self, endings: Sequence[str]) -> None:
        self._endings = endings

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Files with one of the endings, and folders; any file if there is none."""
        folder, slash, begun = incomplete.rpartition("/")
        found = [
            CompletionItem(f"{folder}{slash}{path.name}{'/' if path.is_dir() else ''}")
            for path in sorted(Path(folder or slash or ".").glob("*"))
            if path.name.startswith(begun) and (path.is_dir() or path.suffix in self._endings)
        ]
        return found or [CompletionItem(incomplete, type="file")]


class _NamesType(click.ParamType):
    name = "text"

    def __init__(self, names_in: Callable[[str], Iterator[str]], policy: str) -> None:
        self._names_in, self._policy = names_in, policy

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Names in the policy of the command line; none if it cannot be read."""
        from tailc.errors import TailcError

        try:
            names = sorted(set(self._names_in(self._policy)))
        except (TailcError, OSError):
            return []
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _classes(artifact: str) -> Iterator[str]:
    from tailc.artifact.files import read_policy

    policy = read_policy(artifact)
    yield from (one.request_class for one in policy.ladders if one.request_class is not None)


def _jobs(artifact: str) -> Iterator[str]:
    from tailc.artifact.files import read_policy

    plan = read_policy(artifact).plan
    yield from () if plan is None else (job.name for job in plan.jobs)


def _pools(artifact: str) -> Iterator[str]:
    from tailc.artifact.files import read_policy

    plan = read_policy(artifact).plan
    yield from () if plan is None else (pool.name for pool in plan.pools)


_NAMES: dict[str | None, Callable[[str], Iterator[str]]] = {
    "request_class": _classes,
    "job": _jobs,
    "pool": _pools,
}
