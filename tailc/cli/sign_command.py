"""The command `tailc sign`: sign a policy, so that servers can verify its origin."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.passphrase import ask_passphrase, passphrase_file, read_passphrase
from tailc.cli.quantities import MOMENT_UNIX_S
from tailc.cli.rewrite import replace_in_place

if TYPE_CHECKING:
    from tailc.artifact.keys import PrivateKey
    from tailc.errors import Finding


@click.command("sign", short_help="Sign a policy with a private key.")
@click.argument("artifact")
@click.option("--key", required=True, metavar="KEY", help="Private key from `keygen`.")
@passphrase_file
@click.option(
    "--expires",
    "expires_s",
    type=MOMENT_UNIX_S,
    help="Time from which servers refuse the policy, such as 2027-01-01T00:00:00Z. Default: never.",
)
@click.option(
    "--detached",
    is_flag=True,
    help="Add the signature to those in FILE.tailc.dsse.json, and leave the policy unchanged.",
)
@click.option(
    "-o", "--output", metavar="FILE", help="Write FILE.tailc, and leave ARTIFACT unchanged."
)
@command_with_outcome
def command(
    artifact: str,
    key: str,
    passphrase_file: str | None,
    expires_s: int | None,
    detached: bool,
    output: str | None,
) -> CommandOutcome:
    """Sign ARTIFACT, a .tailc file or the STEM of one, with a private key.

    The signature covers the hash of the payload (which includes the generation and the name) and
    the expiry time. It replaces an existing signature. JSON files are never signed, and stay as
    they are.
    """
    from tailc.artifact.files import paths_of, read_sealed, refuse_device
    from tailc.artifact.keys import exposure
    from tailc.atomic_files import replace_files
    from tailc.report.signing import until_text

    if expires_s is not None and expires_s <= time.time():
        raise click.BadParameter("it has passed", param_hint="--expires")
    if artifact == "-" and output is None:
        raise click.UsageError("a policy from standard input needs an output file: give `-o FILE`")
    if detached and (output is not None or expires_s is not None or artifact == "-"):
        raise click.UsageError(
            "`--detached` needs a policy in a file, and has neither `--expires` nor `-o`"
        )
    signer = _signer(key, passphrase_file)
    exposed = exposure(key)
    if detached:
        return _sign_detached(artifact, signer, exposed)
    sealed_path, policy, sealed = read_sealed(artifact)
    signed = signer.sign(sealed, expires_s or 0)
    if output is None:
        path = sealed_path
        replace_in_place(path, signed)
    else:
        refuse_device(output)
        path = paths_of(output)[1]
        replace_files([(path, signed)])
    key_id = signer.public.key_id.hex()
    signed_by = f"signed {policy.name}, generation {policy.generation}, with key {key_id}"
    return CommandOutcome(
        text=f"{signed_by}, {until_text(expires_s or 0)}\nwrote {path}",
        result={"key_id": key_id, "generation": policy.generation, "files": [str(path)]},
        findings=(exposed,) if exposed else (),
        is_answer=False,
    )


def _sign_detached(artifact: str, signer: PrivateKey, exposed: Finding | None) -> CommandOutcome:
    """Add a signature to the envelope next to the policy."""
    from tailc.artifact.attestation import attestation_path, statement, with_signature_of
    from tailc.artifact.files import content_of, read_sealed
    from tailc.artifact.refusal import refusals_about
    from tailc.atomic_files import replace_files

    path, policy, _ = read_sealed(artifact)
    envelope = attestation_path(str(path))
    present = envelope.read_bytes() if envelope.exists() else None
    with refusals_about(str(envelope)):
        payload = statement(policy, content_of(path)[1])
        replace_files([(envelope, with_signature_of(signer, payload, present))])
    key_id = signer.public.key_id.hex()
    return CommandOutcome(
        text=f"signed {policy.name}, generation {policy.generation}, with key {key_id}\n"
        f"wrote {envelope}",
        result={"key_id": key_id, "generation": policy.generation, "files": [str(envelope)]},
        findings=(exposed,) if exposed else (),
        is_answer=False,
    )


def _signer(path: str, passphrase_file: str | None) -> PrivateKey:
    from tailc.artifact.keys import NeedsPassphrase, read_private_key

    word = read_passphrase(passphrase_file) if passphrase_file else None
    try:
        return read_private_key(path, word)
    except NeedsPassphrase:
        return read_private_key(path, ask_passphrase(f"Passphrase of {path}", is_new=False))
