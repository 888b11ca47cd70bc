from dataclasses import dataclass

import pytest

from tailc.cli import run


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
def in_folder(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
