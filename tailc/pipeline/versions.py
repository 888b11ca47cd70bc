"""The version of tailc that an artifact names, and the digest of its spec.

Versions of libraries are not part of a policy: its digest would change with them, although its
decisions do not. They are in the result of a compile (`made_from.package_versions`).
"""

from __future__ import annotations

from typing import Any

from tailc.artifact.envelope import COMPILED_SPEC
from tailc.artifact.provenance import spec_digest
from tailc.specs.budgets import BUDGETS
from tailc.specs.tree import Document, plain
from tailc.version import __version__


def versions(spec: Document) -> tuple[tuple[str, str], ...]:
    """(name, version or digest) of tailc and of the spec, by name."""
    return tuple(sorted({"tailc": __version__, COMPILED_SPEC: compiled_digest(spec)}.items()))


def compiled_digest(spec: Document) -> str:
    """The digest of what a policy is compiled from."""
    return spec_digest(compiled_keys(spec))


def compiled_keys(spec: Document) -> dict[str, Any]:
    """The keys and values that a policy is compiled from.

    Budgets are for whoever compares it with another: a change of them makes no other policy.
    """
    return {key: value for key, value in plain(spec.root).items() if key != BUDGETS}
