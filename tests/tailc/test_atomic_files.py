from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from tailc.atomic_files import refuse_unwritable, replace_files
from tailc.errors import Code, ExitCode, TailcError

OPERATIONS = ("open", "write", "fsync", "close", "replace")
# Of two files: four operations each, open their folder, then twice rename and fsync it. Closing it
# comes last, and nothing depends on it.
CLOSING = 8 + 1 + 2 * 2


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fail_at(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the file operation with this number, counted from 0, report a full disk."""
    left = [number]

    def failing(name: str, operation: Callable[..., Any]) -> Callable[..., Any]:
        def count(*arguments: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] == -1:
                if name == "close":
                    operation(*arguments, **named)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return operation(*arguments, **named)

        return count

    for name in OPERATIONS:
        monkeypatch.setattr(os, name, failing(name, getattr(os, name)))


def test_a_file_is_created_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "f"
    replace_files([(path, b"one")])
    replace_files([(path, b"")])
    assert path.read_bytes() == b""
    replace_files([(path, b"x" * 5_000_000)])
    assert path.stat().st_size == 5_000_000


def test_a_secret_file_is_its_owner_s_alone_from_its_first_byte(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"anybody's")
    replace_files([(tmp_path / "f", b"one")], mode=0o600)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o600


def test_rights_that_are_said_are_no_matter_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        replace_files([(tmp_path / "f", b"one")], mode=0o664)
    finally:
        os.umask(before)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o664


def test_where_standard_output_goes_nothing_is_replaced(tmp_path: Path) -> None:
    """As root, `/dev/stdout` itself would be."""
    told, link = tmp_path / "told", tmp_path / "link"
    link.symlink_to(f"/proc/{os.getpid()}/fd/1")
    kept = os.dup(1)
    try:
        with told.open("wb") as opened:
            os.dup2(opened.fileno(), 1)
        for path in (told, link):
            with pytest.raises(TailcError, match="open as the standard output"):
                replace_files([(path, b"one")])
    finally:
        os.dup2(kept, 1)
        os.close(kept)
    assert link.is_symlink()
    assert names_in(tmp_path) == ["link", "told"]
    assert told.read_bytes() == b""


def test_the_umask_decides_who_may_read_the_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        replace_files([(tmp_path / "f", b"one")])
    finally:
        os.umask(before)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("number", range(CLOSING))
def test_a_failure_at_any_operation_is_located_and_leaves_no_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    first, last = tmp_path / "first", tmp_path / "last"
    replace_files([(first, b"old"), (last, b"old")])
    with monkeypatch.context() as patched:
        fail_at(number, patched)
        with pytest.raises(TailcError) as caught:
            replace_files([(first, b"new"), (last, b"new")])
    (finding,) = caught.value.findings
    assert finding.code is Code.CANNOT_WRITE
    assert caught.value.exit_code is ExitCode.CANNOT_WRITE
    assert finding.help
    assert "No space left on device" in finding.message
    assert str(tmp_path) in finding.message
    assert names_in(tmp_path) == ["first", "last"]
    pair = (first.read_bytes(), last.read_bytes())
    # Up to the first rename nothing changes; after it, the last is never newer than the first.
    assert pair == (b"old", b"old") if number <= 9 else pair != (b"old", b"new")
    # Whoever reads the message knows whether the file that it names is the old one.
    path = Path(finding.place.source if finding.place else "")
    assert (path.read_bytes() == b"new") == ("was written" in finding.message)


@pytest.mark.parametrize("number", [CLOSING, CLOSING + 1])
def test_nothing_can_fail_once_the_folder_is_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    fail_at(number, monkeypatch)
    replace_files([(tmp_path / "first", b"new"), (tmp_path / "last", b"new")])
    assert [(tmp_path / name).read_bytes() for name in ("first", "last")] == [b"new", b"new"]


def test_a_folder_that_cannot_be_flushed_is_known_before_anything_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_files([(tmp_path / "f", b"old")])
    open_ = os.open

    def refusing(path: Any, flags: int, *mode: int) -> int:
        if flags == os.O_RDONLY:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return open_(path, flags, *mode)

    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(TailcError, match="cannot write"):
        replace_files([(tmp_path / "f", b"new")])
    assert (tmp_path / "f").read_bytes() == b"old"
    assert names_in(tmp_path) == ["f"]


def test_a_file_system_that_cannot_flush_folders_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def of_files_only(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", of_files_only)
    replace_files([(tmp_path / "f", b"new")])
    assert (tmp_path / "f").read_bytes() == b"new"


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    replace_files([(tmp_path / "a" / "b" / "f", b"new")])
    assert (tmp_path / "a" / "b" / "f").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["folder", "file/f"])
def test_what_is_in_the_way_is_named_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(TailcError, match="cannot write") as caught:
        replace_files([(tmp_path / "fine", b"new"), (tmp_path / name, b"new")])
    place = caught.value.findings[0].place
    assert place is not None
    assert place.source == str(tmp_path / name)
    assert names_in(tmp_path) == ["file", "folder"]


@pytest.mark.parametrize(
    ("name", "is_refused"), [("folder", True), ("file/f", True), ("a/f", False)]
)
def test_what_is_in_the_way_is_known_beforehand_and_nothing_is_left(
    tmp_path: Path, name: str, is_refused: bool
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(TailcError, match="cannot write") if is_refused else nullcontext():
        refuse_unwritable([tmp_path / "fine", tmp_path / name])
    assert names_in(tmp_path) == ["file", "folder"]


def test_a_write_that_takes_only_a_part_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    replace_files([(tmp_path / "f", b"0123456789")])
    assert (tmp_path / "f").read_bytes() == b"0123456789"


@pytest.mark.parametrize("other", [False, True])
def test_what_is_no_file_stays_what_it_is(tmp_path: Path, other: bool) -> None:
    pipe, file = tmp_path / "pipe", tmp_path / "file"
    os.mkfifo(pipe)
    contents = [(file, b"new")] * other + [(pipe, b"new")]
    with pytest.raises(TailcError) as caught:
        replace_files(contents)
    assert caught.value.exit_code is ExitCode.CANNOT_WRITE
    assert "it is a device or a pipe, not a file" in caught.value.findings[0].message
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names_in(tmp_path) == ["pipe"]
