"""Origin of a policy as text and JSON data: its signature, and the rollback that produced it."""

from __future__ import annotations

from tailc.artifact.envelope import REPLACED, RESTORED, Policy
from tailc.artifact.signature import Signature
from tailc.artifact.trust import expiry_text
from tailc.units import printable

_DIGITS_OF_DIGEST = 12


def origin_lines(policy: Policy, signature: Signature | None, is_checked: bool) -> list[str]:
    """Format the signing key, its expiry, whether it was checked, and the digests of a rollback."""
    lines: list[str] = []
    if signature is not None:
        signer = f"by key {signature.key_id.hex()}, {until_text(signature.expires_s)}"
        lines.append(f"signed     {signer}, {'checked' if is_checked else 'not checked'}")
    versions = dict(policy.evidence.versions)
    if RESTORED in versions and REPLACED in versions:
        restored, replaced = (
            printable(versions[name][:_DIGITS_OF_DIGEST]) for name in (RESTORED, REPLACED)
        )
        lines.append(f"rolled back to policy {restored}, over {replaced}")
    return lines


def signature_result(signature: Signature, is_checked: bool) -> dict[str, object]:
    """Convert a signature to JSON data; `expires` is null if it never expires."""
    return {
        "key_id": signature.key_id.hex(),
        "expires": expiry_text(signature.expires_s) if signature.expires_s else None,
        "checked": is_checked,
    }


def until_text(expires_s: int) -> str:
    """Format the time until which a signature is valid."""
    return f"expires {expiry_text(expires_s)}" if expires_s else "never expires"
