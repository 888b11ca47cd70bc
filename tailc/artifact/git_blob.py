"""Read files of a Git repository at a revision, named `git:REVISION:PATH`."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.artifact.refusal import Refusal
from tailc.errors import Code, TailcError

PREFIX = "git:"


def is_git_name(name: str) -> bool:
    """Whether the name is `git:REVISION:PATH`."""
    return name.startswith(PREFIX)


def blob_of(name: str, suffixes: tuple[str, ...], most_bytes: int) -> tuple[str, bytes]:
    """Read a file of a Git repository: return the name and the content of PATH at REVISION.

    A PATH without suffix also matches one with the last of `suffixes`. PATH is relative to the top
    of the repository, or with `./` to the working directory. Raises TailcError (cannot read) if
    Git, the revision or the file is missing, or if the file has more than `most_bytes` bytes.
    """
    revision, colon, path = name.removeprefix(PREFIX).partition(":")
    if not (revision and colon and path) or revision.startswith("-"):
        hint = "write `git:REVISION:PATH`, such as `git:v1.2:policies/search.tailc`"
        raise _unread(name, "it does not name a file of a revision", hint)
    _run_git(name, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    try:
        return name, _content(name, f"{revision}:{path}", most_bytes)
    except TailcError:
        if path.endswith(suffixes):
            raise
    suffix = suffixes[-1]
    return f"{name}{suffix}", _content(name, f"{revision}:{path}{suffix}", most_bytes)


def _content(name: str, blob: str, most_bytes: int) -> bytes:
    if int(_run_git(name, "cat-file", "-s", blob)) > most_bytes:
        raise _unread(name, f"it is larger than {most_bytes // 2**20} MiB, the limit for a policy")
    return _run_git(name, "cat-file", "blob", blob)


def _run_git(name: str, *words: str) -> bytes:
    import subprocess

    try:
        done = subprocess.run(["git", *words], capture_output=True, check=False)
    except OSError as error:
        reason = f"git cannot be run: {(error.strerror or str(error)).lower()}"
        raise _unread(name, reason, "install git") from error
    if done.returncode:
        raise _unread(name, _reason(done.stderr), _help(words))
    return done.stdout


def _reason(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").splitlines()
    first = lines[0].removeprefix("fatal: ") if lines else "there is no such revision here"
    return f"git says: {first}" if lines else first


def _help(words: Sequence[str]) -> str:
    if words[0] == "rev-parse":
        return "run it in the repository, and fetch the tag or branch: a shallow clone may lack it"
    return "git ls-tree -r --name-only REVISION lists the files"


def _unread(name: str, reason: str, help_: str | None = None) -> TailcError:
    message = f"`{name}` cannot be read: {reason}"
    return TailcError(Refusal(Code.CANNOT_READ, message, help_).finding(name))
