"""The option --trust: public keys that must have signed every policy that a command reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from tailc.artifact.trust import Trust

VARIABLE = "TAILC_TRUST"

Command = TypeVar("Command", bound=Callable[..., object])


def trusts(command: Command) -> Command:
    """Add --trust to a command, which gets the keys as `trust`."""
    return click.option(
        "--trust",
        # A path type, so that click splits the variable as the system splits lists of paths.
        type=click.Path(),
        multiple=True,
        envvar=VARIABLE,
        callback=_read,
        metavar="PUBKEY",
        help="Read only policies that this public key has signed; may be repeated. Default: the "
        f"keys in {VARIABLE}.",
    )(command)


def _read(ctx: click.Context, param: click.Parameter, paths: tuple[str, ...]) -> Trust:  # noqa: ARG001
    from tailc.artifact.trust import trust_of

    return trust_of(paths)
