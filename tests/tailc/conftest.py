from dataclasses import dataclass

import pytest

from tailc.cli import run
from tailc.errors import ExitCode


@dataclass(frozen=True)
class Ended:
    """How a command line ended: exit code, stdout, stderr."""

    code: int
    out: str
    err: str


@pytest.fixture
def tailc(capsys):
    """Run a command line in this process, as the console script would."""

    def call(*arguments):
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Ended(code, captured.out, captured.err)

    return call


@pytest.fixture
def refusal(tailc, tmp_path):
    """What `tailc compile` says, in one line, of a spec whose content it refuses."""

    def of(spec, *words):
        done = tailc("compile", spec, *words, "-o", tmp_path / "p")
        assert done.code == ExitCode.BAD_CONTENT
        return " ".join(done.err.split())

    return of


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
