"""Which signatures a policy needs in order to be read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tailc.artifact.refusal import Refusal
from tailc.artifact.signature import Signature
from tailc.errors import Code

if TYPE_CHECKING:
    from tailc.artifact.keys import PublicKey

_YEAR_9999_S = 253_402_300_799
_SIGN_IT = "sign it with a trusted key (`tailc sign`), or trust the key with which it was signed"


@dataclass(frozen=True)
class Trust:
    """Keys whose signatures are accepted; without keys, every policy is accepted.

    `now_s` is the time for the expiry of signatures, in Unix seconds; None: the time of the check.
    `signers`: number of keys that must have signed; more than one sign next to the file.
    """

    keys: tuple[PublicKey, ...] = ()
    now_s: int | None = None
    signers: int = 1

    def check_file(self, file: str, content: bytes, signature: Signature | None) -> None:
        """Raise Refusal unless the keys that must sign a file have signed it.

        file: path of the policy, whose detached signatures are next to it. signature: that in it.
        """
        if not self.keys or self.signers == 1:
            self.check(signature)
            return
        from tailc.artifact.attestation import check_attestation

        check_attestation(file, content, self.keys, self.signers)

    def check(self, signature: Signature | None) -> None:
        """Raise Refusal unless the signature is by a trusted key, correct and not expired.

        Without trusted keys every policy is accepted.
        """
        if not self.keys:
            return
        if signature is None:
            raise Refusal(
                Code.UNSIGNED,
                ("the policy is not signed, but only signed policies are trusted here"),
                _SIGN_IT,
            )
        self._check_key(signature)
        now_s = int(time.time()) if self.now_s is None else self.now_s
        if signature.expires_s and now_s >= signature.expires_s:
            message = f"the signature expired at {expiry_text(signature.expires_s)}"
            raise Refusal(
                Code.EXPIRED, message, "compile the policy from new data, or sign it again"
            )

    def _check_key(self, signature: Signature) -> None:
        stated = signature.key_id
        named = [key for key in self.keys if key.key_id == stated]
        if not named:
            known = ", ".join(f"`{key.key_id.hex()}`" for key in self.keys)
            message = f"the policy is signed by key `{stated.hex()}`, which is not trusted"
            raise Refusal(Code.UNKNOWN_SIGNER, message, f"trusted: {known}")
        if not any(key.has_signed(signature) for key in named):
            message = f"the signature does not match this policy and the key `{stated.hex()}`"
            raise Refusal(Code.BAD_SIGNATURE, message, "do not use the policy: it may be forged")


# Accept a policy with any or no signature.
ANYBODY = Trust()


def trust_of(paths: Sequence[Path | str], signers: int = 1) -> Trust:
    """Trust the public keys in these PEM files; without files, trust every writer.

    signers: number of them that must have signed. Raises TailcError for a file without a public
    key.
    """
    if not paths:
        return ANYBODY
    from tailc.artifact.keys import read_public_key

    return Trust(tuple(read_public_key(path) for path in paths), signers=signers)


def expiry_text(expires_s: int) -> str:
    """Format the time of expiry in UTC; after the year 9999, as a number of seconds."""
    if expires_s > _YEAR_9999_S:
        return f"second {expires_s}"
    return datetime.fromtimestamp(expires_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
