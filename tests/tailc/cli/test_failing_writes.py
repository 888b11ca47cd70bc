"""Every command that writes, with an error or a short write at each call that writes."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tailc.artifact.published import VECTORS

ERRORS = [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EMFILE]
CANNOT_WRITE = 73

COMMANDS = {
    "advance": "advance plan --to 2012-06-01T12:45Z -o out.json",
    "check": "check toy.yaml --output-format json:out.json",
    "compile": "compile changed.yaml -o toy --no-progress",
    "embed": "embed toy --lang c -o out.h",
    "fmt": "fmt odd.yaml",
    "ingest": "ingest toy.csv --column demand_ms --measure demand-busy -o out.profile",
    "init": "init toy.csv --column demand_ms --measure demand-busy --cores 2 --slo p50<=200ms"
    " --speedup 1,1.5 --rate 1/s --reference x --name x -o out.yaml",
    "inspect": "inspect plan --picture out.svg",
    "keygen": "keygen out",
    "migrate": "migrate toy.json -o out",
    "sign": "sign toy --key keys.key -o out",
    "split": "split toy.yaml --profile out.csv",
    "sweep": "sweep toy.yaml --set server.cores=5,6 --jobs 1 -o out --no-progress",
}


# These compile several policies.
SLOW = ("sweep",)
NAMES = [pytest.param(name, marks=[pytest.mark.fuzz] * (name in SLOW)) for name in COMMANDS]


class Calls:
    """Calls that write into files; one of them may fail, and all may take few bytes."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.failing: tuple[int, int] | None = None
        self.most_bytes: int | None = None
        self._descriptors: dict[int, str] = {}

    def patch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("open", "write", "fsync", "close", "replace"):
            monkeypatch.setattr(os, name, self._of(name, getattr(os, name)))

    def _of(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def made(*arguments: Any, **named: Any) -> Any:
            kind = self._kind(name, arguments)
            if kind is None:
                return call(*arguments, **named)
            if name == "close":
                self._descriptors.pop(arguments[0])
            self.made.append(kind)
            if self.failing and self.failing[0] == len(self.made) - 1:
                if name == "close":
                    call(*arguments)
                raise OSError(self.failing[1], os.strerror(self.failing[1]))
            if name == "write" and self.most_bytes:
                return call(arguments[0], arguments[1][: self.most_bytes])
            result = call(*arguments, **named)
            if name == "open":
                self._descriptors[result] = kind
            return result

        return made

    def _kind(self, name: str, arguments: tuple[Any, ...]) -> str | None:
        """The call in words; None: it writes into no file."""
        if name == "replace":
            return name
        if name == "open":
            is_temporary = str(arguments[0]).endswith(".tmp")
            is_folder = isinstance(arguments[0], Path) and arguments[1:] == (os.O_RDONLY,)
            return "open" if is_temporary else "open folder" if is_folder else None
        of = self._descriptors.get(arguments[0])
        return None if of is None else f"{name}{of.removeprefix('open')}"


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture
def prepared(compiled: Path, tailc: Any) -> Path:
    assert tailc("keygen", "keys").code == 0
    text = (compiled / "toy.yaml").read_text()
    # Without rates nothing is replayed.
    (compiled / "changed.yaml").write_text(text.replace("rates: [10/s]\n", ""))
    (compiled / "odd.yaml").write_text(text.replace("{cores: 6,", "{cores:   6,"))
    shutil.copy(VECTORS / "plan.tailc", compiled / "plan.tailc")
    return compiled


def run_from(
    folder: Path, before: dict[str, bytes], words: str, tailc: Any, calls: Calls
) -> tuple[Any, dict[str, bytes]]:
    """How the command ended from these files, and the files after it."""
    for name in contents(folder).keys() - before.keys():
        (folder / name).unlink()
    for name, data in before.items():
        (folder / name).write_bytes(data)
    with pytest.MonkeyPatch.context() as patched:
        calls.patch(patched)
        ended = tailc(*words.split(" "))
    return ended, contents(folder)


@pytest.mark.parametrize("name", NAMES)
def test_short_writes_change_nothing(name: str, prepared: Path, tailc: Any) -> None:
    before = contents(prepared)
    ended, right = run_from(prepared, before, COMMANDS[name], tailc, Calls())
    assert (ended.code, right != before) == (0, True), ended
    calls = Calls()
    calls.most_bytes = 7
    ended, after = run_from(prepared, before, COMMANDS[name], tailc, calls)
    assert ended.code == 0, ended.err
    sizes = {file: len(data) for file, data in right.items()}
    # Keys are new each time.
    is_alike = sizes == {file: len(data) for file, data in after.items()}
    assert after == right or (name == "keygen" and is_alike)


@pytest.mark.parametrize(
    "error", [ERRORS[0], *(pytest.param(one, marks=pytest.mark.fuzz) for one in ERRORS[1:])]
)
@pytest.mark.parametrize("name", NAMES)
def test_an_error_at_any_call_leaves_whole_files(
    name: str, error: int, prepared: Path, tailc: Any
) -> None:
    before = contents(prepared)
    counted = Calls()
    ended, right = run_from(prepared, before, COMMANDS[name], tailc, counted)
    assert (ended.code, right != before) == (0, True), ended
    assert {"open", "write", "fsync", "close", "replace", "fsync folder"} <= {*counted.made}
    for number, kind in enumerate(counted.made):
        calls = Calls()
        calls.failing = number, error
        ended, after = run_from(prepared, before, COMMANDS[name], tailc, calls)
        place = f"{os.strerror(error)} at call {number}, {kind}"
        # Nothing depends on the end of a folder that was flushed.
        wanted = 0 if kind == "close folder" else CANNOT_WRITE
        assert ended.code == wanted, f"{place}: {ended}"
        assert os.strerror(error) in ended.err or kind == "close folder", f"{place}: {ended.err}"
        for file, data in after.items():
            is_whole = data in (before.get(file), right.get(file))
            is_key = name == "keygen" and data.endswith(b"KEY-----\n")
            assert is_whole or is_key, f"{place}: {file} is neither old nor new"
        assert before.keys() <= after.keys(), place
