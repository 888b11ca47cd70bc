"""The option --trust: public keys that must have signed every policy that a command reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from tailc.artifact.trust import Trust
    from tailc.errors import Finding

VARIABLE = "TAILC_TRUST"
_SKIPS, _SIGNERS = f"{__name__}.skips", f"{__name__}.signers"

Command = TypeVar("Command", bound=Callable[..., object])


def trusts(command: Command) -> Command:
    """Add --trust to a command, which gets the keys as `trust`."""
    skip = click.option(
        "--insecure-skip-verify",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        allow_from_autoenv=False,
        callback=_skip,
        help="Read policies although no trusted key has signed them; the result has a warning.",
    )
    signers = click.option(
        "--signers",
        type=click.IntRange(min=1),
        is_eager=True,
        expose_value=False,
        metavar="N",
        help="Number of the trusted keys that must have signed a policy. Default: 1.",
        callback=_set_signers,
    )
    return signers(skip(_trust_option(command)))


def _trust_option(command: Command) -> Command:
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
    from tailc.artifact.trust import ANYBODY, trust_of
    from tailc.cli.outcome import SKIPPED_VERIFICATION

    if paths and _SKIPS in ctx.meta:
        ctx.meta[SKIPPED_VERIFICATION] = True
        return ANYBODY
    signers: int = ctx.meta.get(_SIGNERS, 1)
    if signers > len(paths) and signers > 1:
        raise click.UsageError(f"--signers {signers} needs that number of keys: add `--trust`")
    return trust_of(paths, signers)


def _set_signers(ctx: click.Context, param: click.Parameter, signers: int | None) -> None:  # noqa: ARG001
    if signers is not None:
        ctx.meta[_SIGNERS] = signers


def _skip(ctx: click.Context, param: click.Parameter, is_given: bool) -> None:
    # A file cannot turn it on for all later commands.
    is_typed = ctx.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
    if is_given and is_typed:
        ctx.meta[_SKIPS] = True


def skipped_finding() -> Finding:
    """Warn that the running command did not verify signatures although keys are trusted."""
    from tailc.errors import Code, Finding, Severity

    message = "signatures of policies were not verified, although keys are trusted"
    hint = "remove `--insecure-skip-verify`"
    return Finding(Code.UNVERIFIED, message, help=hint, severity=Severity.WARNING)
