"""Record all inputs of a compile, so that a policy is compiled again only if one has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tailc.errors import TailcError
from tailc.input_files import STDIN, seekable_input
from tailc.specs.tree import Document, Node, Scalar, Sequence, plain
from tailc.specs.tree import Mapping as Mapped
from tailc.units import shorten
from tailc.version import __version__

FORMAT = "tailc-inputs"
# Keys of a spec whose value is the path of a file.
_FILES = ("trace", "file")
_PACKAGES = ("clarabel", "cmaes", "gurobipy", "highspy", "numba", "numpy", "ortools")
_ABSENT = "absent"


@dataclass(frozen=True)
class BuildInputs:
    """All inputs that determine a policy, by name.

    spec: values of the spec by their paths, as written. options: command-line options. files: hex
    SHA-256 of the files that the spec names, or `absent`. versions: of packages.
    """

    spec: Mapping[str, str]
    options: Mapping[str, str]
    files: Mapping[str, str]
    versions: Mapping[str, str]

    @property
    def reads_standard_input(self) -> bool:
        """Whether a trace is read from standard input, which cannot be read twice."""
        return "-" in self.files


def build_inputs(document: Document, path: str, options: Mapping[str, str]) -> BuildInputs:
    """Collect the current inputs of a compile of the spec at `path`, parsed as `document`."""
    folder = Path(path).parent
    named = sorted({*_file_names(document.root)})
    files = {one: _ABSENT if one == STDIN else _digest(folder / one) for one in named}
    return BuildInputs(
        dict(_values(plain(document.root), "")), dict(options), files, package_versions()
    )


def named_files(document: Document) -> tuple[str, ...]:
    """The paths of files that a spec names, as written there; sorted, without duplicates."""
    return tuple(sorted({*_file_names(document.root)} - {"-"}))


def _file_names(node: Node) -> Iterator[str]:
    match node:
        case Sequence():
            for item in node.items:
                yield from _file_names(item)
        case Mapped():
            for key, entry in node.entries.items():
                if key in _FILES and isinstance(entry.value, Scalar):
                    yield entry.value.text
                yield from _file_names(entry.value)


def _values(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every value of a spec with its path, such as `slo[0].latency`."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _values(part, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for at, part in enumerate(value):
            yield from _values(part, f"{path}[{at}]")
    else:
        yield path, value if isinstance(value, str) else json.dumps(value)


def _digest(path: Path) -> str:
    try:
        with ExitStack() as until_read:
            return seekable_input(str(path), until_read).sha256()
    except (OSError, TailcError):  # the compile says what is wrong with it
        return _ABSENT


def package_versions() -> dict[str, str]:
    """Versions of tailc and of the installed packages that may compute for it."""
    installed = {"tailc": __version__}
    for package in _PACKAGES:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            continue
    return installed


def changed_inputs(before: BuildInputs, now: BuildInputs) -> list[str]:
    """One sentence for each input that has changed, in the order of the spec."""
    return [
        *_format_changes("spec", before.spec, now.spec, _was),
        *_format_changes("option", before.options, now.options, _was),
        *_format_changes("file", before.files, now.files, _file),
        *_format_changes("version of", before.versions, now.versions, _was),
    ]


def _format_changes(
    what: str, before: Mapping[str, str], now: Mapping[str, str], describe: Any
) -> Iterator[str]:
    for name in dict.fromkeys((*now, *before)):
        old, new = before.get(name), now.get(name)
        if old != new:
            yield f"{what} `{shorten(name)}`: {describe(old, new)}"


def _was(old: str | None, new: str | None) -> str:
    if old is None or new is None:
        return f"`{shorten(new)}` is new" if new is not None else "is gone"
    return f"`{shorten(new)}`, was `{shorten(old)}`"


def _file(old: str | None, new: str | None) -> str:
    if old is None or new is None:
        return "is named now" if new is not None else "is no longer named"
    return "is absent" if new == _ABSENT else "has other content"


def record_bytes(made: BuildInputs, policy_digest: str) -> bytes:
    """Encode the inputs of the policy with the digest `policy_digest` as a file's content."""
    whole = {"format": FORMAT, "version": 1, "policy_digest": policy_digest, **asdict(made)}
    return (json.dumps(whole, indent=2, sort_keys=True) + "\n").encode()


def read_record(content: bytes) -> tuple[BuildInputs, str] | None:
    """Parse a record of a compile into its inputs and the digest of the policy.

    None if the bytes are not such a record.
    """
    try:
        whole = json.loads(content)
        if whole["format"] != FORMAT or whole["version"] != 1:
            return None
        parts = (whole[name] for name in ("spec", "options", "files", "versions"))
        return BuildInputs(*(dict(part) for part in parts)), str(whole["policy_digest"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
