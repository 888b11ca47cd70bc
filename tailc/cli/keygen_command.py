"""The command `tailc keygen`: create a key pair to sign and verify policies."""

from __future__ import annotations

from pathlib import Path

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.passphrase import ask_passphrase, passphrase_file, read_passphrase

_PRIVATE_SUFFIX, _PUBLIC_SUFFIX = ".key", ".pub"
_OWNER_ALONE = 0o600


@click.command("keygen", short_help="Create a key pair for signing policies.")
@click.argument("stem")
@click.option("--passphrase", is_flag=True, help="Ask for a passphrase to encrypt the key with.")
@passphrase_file
@click.option("--force", is_flag=True, help="Replace existing keys; the old ones are lost.")
@command_with_outcome
def command(
    stem: str, *, passphrase: bool, passphrase_file: str | None, force: bool
) -> CommandOutcome:
    """Create an Ed25519 key pair: STEM.key signs policies, and STEM.pub verifies them.

    Both are PEM files. Keep STEM.key secret, and only where policies are signed. Give STEM.pub to
    every server and to --trust.
    """
    from tailc.artifact.keys import new_private_key
    from tailc.atomic_files import replace_files

    private, public = _paths_of(stem)
    if not force:
        _refuse_to_replace(private, public)
    word = read_passphrase(passphrase_file) if passphrase_file else None
    if passphrase:
        word = ask_passphrase("Passphrase of the new key", is_new=True)
    key = new_private_key()
    replace_files([(private, key.pem(word))], mode=_OWNER_ALONE)
    replace_files([(public, key.public.pem())])
    key_id = key.public.key_id.hex()
    text = f"key id {key_id}\nwrote {private}, which is secret\nwrote {public}"
    result: dict[str, object] = {"key_id": key_id, "files": [str(private), str(public)]}
    return CommandOutcome(text=text, result=result, is_answer=False)


def _paths_of(stem: str) -> tuple[Path, Path]:
    base = Path(stem)
    if base.suffix in (_PRIVATE_SUFFIX, _PUBLIC_SUFFIX):
        base = base.with_suffix("")
    if stem.endswith("/") or base.name in ("", ".."):
        raise click.UsageError(
            f"`{stem}` is not a name of files: give a stem such as `keys/release`"
        )
    return (
        base.with_name(base.name + _PRIVATE_SUFFIX),
        base.with_name(base.name + _PUBLIC_SUFFIX),
    )


def _refuse_to_replace(*paths: Path) -> None:
    from tailc.errors import Code, Finding, Place, TailcError

    for path in paths:
        if path.exists() or path.is_symlink():
            message = f"`{path}` exists, and a key that is replaced is lost"
            help_ = "give another stem, or `--force`"
            raise TailcError(Finding(Code.CANNOT_WRITE, message, Place(str(path)), help_))
