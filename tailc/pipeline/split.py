"""A spec's trace written as its two parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tailc.artifact.envelope import InputRole
from tailc.atomic_files import replace_files
from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.spec import open_kind
from tailc.pipeline.trace import open_trace, split_trace
from tailc.traces.written import written_profile


@dataclass(frozen=True)
class WrittenPart:
    """A part on disk; `digest` is of its content, as the artifact records it."""

    role: InputRole
    path: Path
    requests: int
    digest: str


def split_spec(spec_path: str, stem: str | None = None) -> tuple[WrittenPart, ...]:
    """Write STEM.design.parquet and STEM.held-out.parquet, both or neither.

    Without a stem it is build/NAME. Raises TailcError where the spec holds nothing out.
    """
    opened = open_kind(spec_path)
    if opened.spec.demand.held_out is None:
        place = opened.loaded.place("demand")
        hint = "add `held_out: 20%` under `demand`"
        raise TailcError(Finding(Code.MISSING_KEY, "the spec holds nothing out", place, hint))
    stem = stem or f"build/{opened.spec.name}"
    read = open_trace(opened)
    roles = (InputRole.DESIGN, InputRole.HELD_OUT)
    parts = dict(zip(roles, split_trace(opened, read), strict=True))
    paths = {role: Path(f"{stem}.{role.value}.parquet") for role in parts}
    replace_files([(paths[role], written_profile(part)) for role, part in parts.items()])
    return tuple(
        WrittenPart(role, paths[role], part.total_weight, part.digest)
        for role, part in parts.items()
    )
