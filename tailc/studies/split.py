"""Split a spec's trace into two files: its design part and its held-out part."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tailc.artifact.envelope import InputRole
from tailc.atomic_files import replace_files
from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.spec import OpenedSpec, open_kind
from tailc.pipeline.trace import (
    OpenedDays,
    OpenedThroughput,
    OpenedTokens,
    OpenedTrace,
    open_measured,
    open_trace,
    split_requests,
    split_rows,
    split_trace,
)
from tailc.specs.days import DaysSettings
from tailc.traces.csv_profile import csv_profile
from tailc.traces.parquet_profile import written_profile
from tailc.traces.throughput_written import written_throughput
from tailc.traces.tokens_written import written_tokens

# Keys of specs that describe a trace; others have `demand`.
_KEYS: dict[type, str] = {OpenedThroughput: "throughput", OpenedTokens: "tokens"}


@dataclass(frozen=True)
class WrittenPart:
    """A part of a trace that `tailc split` wrote, with the digest of its content.

    The artifact records the same digest. number: number of requests or rows, as `of` says.
    """

    role: InputRole
    path: Path
    number: int
    of: Literal["requests", "rows"]
    digest: str


@dataclass(frozen=True)
class WrittenSplit:
    """The files of a split trace, and warnings about the trace."""

    parts: tuple[WrittenPart, ...]
    warnings: tuple[Finding, ...]


def split_spec(spec_path: str, stem: str | None = None) -> WrittenSplit:
    """Write the parts STEM.design.parquet and STEM.held-out.parquet, both or neither.

    stem: None for the spec's name. Raises TailcError for a spec without a held-out part, and for
    one that plans days, whose held-out part is the days after the plan.
    """
    opened = open_kind(spec_path)
    if isinstance(opened.spec.demand, DaysSettings):
        raise _of_days(opened)
    read = open_measured(opened)
    if isinstance(read, OpenedDays):
        message = "days of jobs and energy are not split: the days after the plan are held out"
        hint = "give the spec to `tailc verify --trace`"
        raise TailcError(Finding(Code.USAGE, message, opened.loaded.place("horizon"), hint))
    if read.reading.rows.split is None:
        key = _KEYS.get(type(read), "demand")
        place = opened.loaded.place(key)
        hint = f"add `held_out: 20%` under `{key}`"
        raise TailcError(Finding(Code.MISSING_KEY, "the spec has no held-out part", place, hint))
    stem = stem or opened.spec.name
    roles = (InputRole.DESIGN, InputRole.HELD_OUT)
    parts = dict(zip(roles, _parts(opened, read), strict=True))
    paths = {role: Path(f"{stem}.{role.value}.parquet") for role in parts}
    replace_files([(paths[role], part.content) for role, part in parts.items()])
    of = "rows" if isinstance(read, OpenedThroughput) else "requests"
    written = tuple(
        WrittenPart(role, paths[role], part.number, of, part.digest) for role, part in parts.items()
    )
    return WrittenSplit(written, read.trace.warnings)


def write_design(spec_path: str, path: str) -> WrittenSplit:
    """Write the requests that a policy is compiled from as CSV with all digits.

    Without `held_out` in the spec, this is the whole trace. Raises TailcError for a kind that is
    not compiled from requests.
    """
    opened = open_kind(spec_path)
    read = open_trace(opened)
    is_split = read.reading.rows.split is not None
    design = split_trace(opened, read)[0] if is_split else read.trace.profile
    replace_files([(Path(path), csv_profile(design))])
    requests, digest = design.total_weight, design.digest
    part = WrittenPart(InputRole.DESIGN, Path(path), requests, "requests", digest)
    return WrittenSplit((part,), read.trace.warnings)


def _of_days(opened: OpenedSpec) -> TailcError:
    message = (
        f"`{opened.spec.name}` is a plan, whose trace is not split: the days after its horizon "
        "are held out"
    )
    hint = "verify the plan with `tailc verify --trace` and this spec"
    place = opened.loaded.place("horizon", "start")
    return TailcError(Finding(Code.USAGE, message, place, hint))


@dataclass(frozen=True)
class _Part:
    content: bytes
    number: int
    digest: str


def _parts(
    opened: OpenedSpec, read: OpenedTrace | OpenedThroughput | OpenedTokens
) -> tuple[_Part, ...]:
    """The two parts as files."""
    if isinstance(read, OpenedTokens):
        tokens = split_requests(opened, read)
        return tuple(_Part(written_tokens(part), part.requests, part.digest) for part in tokens)
    if isinstance(read, OpenedThroughput):
        rows = split_rows(opened, read)
        return tuple(_Part(written_throughput(part), part.rows, part.digest) for part in rows)
    return tuple(
        _Part(written_profile(part), part.total_weight, part.digest)
        for part in split_trace(opened, read)
    )
