"""The version of tailc and the digest of the spec, as recorded in an artifact.

Versions of libraries are not part of a policy, since its digest would change with them without a
change of its decisions. They are in the record of a compile (`build_inputs.package_versions`).
"""

from __future__ import annotations

from typing import Any

from tailc.artifact.envelope import COMPILED_SPEC
from tailc.artifact.provenance import spec_digest
from tailc.specs.budgets import BUDGETS
from tailc.specs.tree import Document, plain
from tailc.version import __version__


def versions(spec: Document) -> tuple[tuple[str, str], ...]:
    """Pairs of name and version or digest, of tailc and of the spec, sorted by name."""
    return tuple(sorted({"tailc": __version__, COMPILED_SPEC: compiled_digest(spec)}.items()))


def compiled_digest(spec: Document) -> str:
    """Digest of the parts of a spec that a policy is compiled from."""
    return spec_digest(compiled_keys(spec))


def compiled_keys(spec: Document) -> dict[str, Any]:
    """Keys and values of a spec that a policy is compiled from.

    Budgets are excluded: they are for comparisons with another policy.
    """
    return {key: value for key, value in plain(spec.root).items() if key != BUDGETS}
