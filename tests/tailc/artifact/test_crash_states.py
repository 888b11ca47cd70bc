"""After a crash of the machine during a write, each policy file is the old or the new one.

The file system of the model promises little. Data is durable after a flush of its file; before that
any part of it may be there. Names are durable after a flush of their folder; before that any change
of a name may be there without the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pytest

from tailc.artifact.files import write_policy
from tests.tailc.artifact.published import lucene_policy, small_policy

# A sector is written as a whole, but the model does not rely on it.
STEP = 4


@dataclass
class Log:
    """The calls of a writer: words, then what they are about."""

    calls: list[tuple[Any, ...]] = field(default_factory=list)
    name_of: dict[int, str] = field(default_factory=dict)

    def patch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        open_, write, fsync, replace_ = os.open, os.write, os.fsync, os.replace

        def opened(path: Any, flags: int, *mode: int) -> int:
            descriptor = open_(path, flags, *mode)
            self.name_of[descriptor] = Path(path).name if flags & os.O_CREAT else ""
            if flags & os.O_CREAT:
                self.calls.append(("create", Path(path).name))
            return descriptor

        def written(descriptor: int, data: Any) -> int:
            count = write(descriptor, data)
            self.calls.append(("write", self.name_of[descriptor], bytes(data[:count])))
            return count

        def flushed(descriptor: int) -> None:
            fsync(descriptor)
            name = self.name_of[descriptor]
            self.calls.append(("flush", name) if name else ("flush names",))

        def renamed(source: Any, target: Any) -> None:
            replace_(source, target)
            self.calls.append(("rename", Path(source).name, Path(target).name))

        for name, call in (("open", opened), ("write", written), ("fsync", flushed)):
            monkeypatch.setattr(os, name, call)
        monkeypatch.setattr(os, "replace", renamed)


@dataclass
class Disk:
    """Files by number, names, and what is not durable yet."""

    content: dict[int, bytes]
    number_of: dict[str, int]
    names: dict[str, int]
    unflushed: set[int] = field(default_factory=set)
    changes: list[tuple[str, int]] = field(default_factory=list)

    @classmethod
    def with_files(cls, files: dict[str, bytes]) -> Disk:
        names = {name: number for number, name in enumerate(files)}
        return cls(dict(enumerate(files.values())), dict(names), dict(names))

    def apply(self, call: tuple[Any, ...]) -> None:
        match call:
            case ("create", name):
                number = len(self.content)
                self.content[number] = b""
                self.number_of[name] = number
                self.unflushed.add(number)
                self.changes.append((name, number))
            case ("write", name, data):
                self.content[self.number_of[name]] += data
                self.unflushed.add(self.number_of[name])
            case ("flush", name):
                self.unflushed.discard(self.number_of[name])
            case ("rename", source, target):
                self.number_of[target] = self.number_of.pop(source)
                self.changes.append((target, self.number_of[target]))
            case ("flush names",):
                self.names |= dict(self.changes)
                self.changes.clear()

    def after_crashes(self) -> Iterator[dict[str, bytes]]:
        """What the names may contain, one crash each."""
        numbers = range(len(self.changes) + 1)
        for kept in chain.from_iterable(combinations(self.changes, count) for count in numbers):
            names = self.names | dict(kept)
            torn = [number for number in self.unflushed if number in names.values()]
            whole = {name: self.content[number] for name, number in names.items()}
            yield whole
            for number in torn:
                for data in parts_of(self.content[number]):
                    yield {name: data if names[name] == number else whole[name] for name in names}


def parts_of(data: bytes) -> Iterator[bytes]:
    """Beginnings of the data, and these with zeros up to its length."""
    for length in range(0, len(data), STEP):
        yield data[:length]
        yield data[:length].ljust(len(data), b"\0")


def torn_states(
    calls: list[tuple[Any, ...]], old: dict[str, bytes], new: dict[str, bytes]
) -> tuple[int, int]:
    """Number of states, and of those with a torn file, or with a new .tailc and an old .json."""
    disk, states, torn = Disk.with_files(old), 0, 0
    for call in ((), *calls):
        disk.apply(call)
        for files in disk.after_crashes():
            states += 1
            pair = tuple(files.get(name) for name in ("p.json", "p.tailc"))
            allowed = [
                (old["p.json"], old["p.tailc"]),
                (new["p.json"], old["p.tailc"]),
                (new["p.json"], new["p.tailc"]),
            ]
            torn += pair not in allowed
    return states, torn


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any, Any]:
    """The calls of a write over another policy, and the files before and after it."""
    write_policy(small_policy(), tmp_path / "p")
    old = {name: (tmp_path / name).read_bytes() for name in ("p.json", "p.tailc")}
    log = Log()
    with monkeypatch.context() as patched:
        log.patch(patched)
        write_policy(replace(lucene_policy(), generation=2), tmp_path / "p")
    return log.calls, old, {name: (tmp_path / name).read_bytes() for name in old}


def test_no_crash_leaves_a_torn_policy(written: tuple[Any, Any, Any]) -> None:
    states, torn = torn_states(*written)
    assert torn == 0
    assert states >= 5_000


def test_a_write_that_has_ended_is_never_lost(written: tuple[Any, Any, Any]) -> None:
    calls, old, new = written
    disk = Disk.with_files(old)
    for call in calls:
        disk.apply(call)
    assert all(files | new == files for files in disk.after_crashes())


@pytest.mark.parametrize("forgotten", ["flush", "flush names"])
def test_the_model_finds_a_writer_that_forgets_to_flush(
    written: tuple[Any, Any, Any], forgotten: str
) -> None:
    calls, old, new = written
    _, torn = torn_states([call for call in calls if call[0] != forgotten], old, new)
    assert torn > 0
