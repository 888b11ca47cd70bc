"""Write files completely or not at all.

Contents go to temporary files in the folder of the target. When all of them are on disk they are
renamed in the given order. So after a crash or kill each target is either unchanged or complete and
new, and if a target is new, all earlier ones are. A kill may leave temporary files
`.NAME.xxxxxxxx.tmp`, which nothing reads.
"""

from __future__ import annotations

import errno
import os
import secrets
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from tailc.errors import Code, Finding, Place, TailcError

# Standard output and standard error.
_STREAMS = (1, 2)


def replace_files(contents: Sequence[tuple[Path, bytes]], mode: int | None = None) -> None:
    """Write several files, each completely or not at all; create missing folders.

    contents: path and content of each file; files are put in place in this order. mode: permissions
    of the files; by default those of the umask. Raises TailcError (cannot write) with the path that
    failed. Then temporary files are removed, and no target is changed unless all temporary files
    were written and their folders opened. If a folder cannot be flushed afterwards, the error says
    that the path was replaced.
    """
    pending: list[tuple[Path, Path]] = []
    path = None
    with ExitStack() as stack:
        try:
            for path, content in contents:
                path.parent.mkdir(parents=True, exist_ok=True)
                _refuse_what_is_no_file(path)
                pending.append((_temporary_for(path), path))
                _write_to_disk(pending[-1][0], content, mode)
            # Before the first rename: a folder that cannot be opened could not be flushed after it.
            folders: dict[Path, int] = {}
            for _, path in pending:
                folders[path.parent] = folders.get(path.parent) or _open_folder(path.parent, stack)
            while pending:
                temporary, path = pending[0]
                temporary.replace(path)
                del pending[0]
                _sync_folder(folders[path.parent], path)
        except OSError as error:
            raise _cannot_write(path, error) from error
        finally:
            for temporary, _ in pending:
                with suppress(OSError):
                    temporary.unlink()


def refuse_unwritable(paths: Sequence[Path]) -> None:
    """Raise TailcError (cannot write) if `replace_files` would fail now; leaves no files.

    For commands that compute for a long time before they write.
    """
    for path in paths:
        try:
            _refuse_what_is_no_file(path)
            folder = next(one for one in path.absolute().parents if one.exists())
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise _cannot_write(path, error) from error


def _temporary_for(path: Path) -> Path:
    return path.parent / f".{path.name}.{secrets.token_hex(4)}.tmp"


def _write_to_disk(path: Path, content: bytes, mode: int | None) -> None:
    # O_EXCL: a temporary of that name would belong to someone else. Mode 666 is what open() asks
    # for, so the user's umask decides as usual.
    descriptor = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode
    )
    try:
        if mode is not None:
            os.fchmod(descriptor, mode)
        left = memoryview(content)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _open_folder(folder: Path, stack: ExitStack) -> int:
    """A descriptor of the folder until the stack ends, opened before anything can fail."""
    descriptor = os.open(folder, os.O_RDONLY)
    stack.callback(_close, descriptor)
    return descriptor


def _close(descriptor: int) -> None:
    with suppress(OSError):
        os.close(descriptor)


def _sync_folder(descriptor: int, path: Path) -> None:
    """Make the rename to `path` durable, if the file system supports it."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems know no fsync of folders; what they renamed is renamed.
        if error.errno != errno.EINVAL:
            message = (
                f"`{path}` was written, but its folder cannot be flushed to disk: {error.strerror}"
            )
            hint = "check the disk, then run the command again"
            raise TailcError(Finding(Code.CANNOT_WRITE, message, Place(str(path)), hint)) from error


def _refuse_what_is_no_file(path: Path) -> None:
    """Raise OSError if the path must not be replaced: root could replace `/dev/null`."""
    if path.is_dir():
        raise IsADirectoryError(None, "it is a folder", str(path))
    if path.exists() and not path.is_file():
        raise OSError(None, "it is a device or a pipe, not a file", str(path))
    if path.exists() and any(_is_open_as(descriptor, path) for descriptor in _STREAMS):
        raise OSError(None, "it is open as the standard output or error of this command", str(path))


def _is_open_as(descriptor: int, path: Path) -> bool:
    """Whether the path is an open output of this process, as `/dev/stdout` with redirected
    output."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False


def _cannot_write(path: Path | None, error: OSError) -> TailcError:
    message = f"cannot write `{path}`: {error.strerror or error}"
    hint = "give another path, free disk space, or get permission to write there"
    return TailcError(Finding(Code.CANNOT_WRITE, message, Place(str(path)), hint))
