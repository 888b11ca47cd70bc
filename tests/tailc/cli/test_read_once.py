"""A command opens each of its inputs once: it reads pipes as files, and nothing can vanish."""

import io
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tailc import input_files
from tailc.traces.source import Source
from tests.tailc.cli.compiling import compile_in
from tests.tailc.toy import with_lines, write_toy

HELD_OUT = with_lines(("measure: demand-busy", "measure: demand-busy\n  held_out: 50%"))
MEASURED = ("--column", "demand_ms", "--unit", "ms", "--measure", "demand-busy")
VERIFY = ("verify", "old.tailc", "--trace", "toy.csv")
REPLAYED = ("--requests", "300", "--replicates", "49")
RNG = np.random.default_rng(1)
ROWS = zip(RNG.integers(20, 200, 2_000), RNG.exponential(100, 2_000).cumsum().round(), strict=True)
TRACE = "request,demand_ms,time_ms\n" + "".join(f"{ms},{ms},{at}\n" for ms, at in ROWS)
ARRIVALS = ("--arrival-unit", "ms")
SERVICE = ("--slo", "p99 <= 900ms", "--cores", "4", "--speedup", "1,1.5", "--rate", "1/s")
COMMANDS = {
    "check": ("check", "--with-trace", "toy.yaml"),
    "compile": ("compile", "toy.yaml", "--allow-misses", "-o", "out"),
    "incremental": ("compile", "toy.yaml", "--incremental", "--allow-misses", "-o", "out"),
    "split": ("split", "toy.yaml", "-o", "out"),
    "sweep": ("sweep", "toy.yaml", "--set", "server.cores=6,8", "--jobs", "1"),
    "simulate": ("simulate", "toy.yaml", *REPLAYED),
    "lint": ("lint-trace", "toy.csv"),
    "lint by spec": ("lint-trace", "--spec", "toy.yaml"),
    "ingest": ("ingest", "toy.csv", *MEASURED, "-o", "out.profile"),
    "init": ("init", "toy.csv", *MEASURED, *SERVICE, "--reference", "a core", "-o", "out.yaml"),
    "fit": ("fit", "arrivals", "toy.csv", "--time", "time_ms", *ARRIVALS),
    "verify": (*VERIFY, *REPLAYED),
    "verify arrivals": (*VERIFY, *REPLAYED, "--arrivals", "recorded:time_ms", *ARRIVALS),
    "drift": (*VERIFY, "--drift"),
    "diff": ("diff", "old.tailc", "old.json", "--trace", "toy.csv", *REPLAYED),
    "report": ("report", "old.tailc", "--trace", "toy.csv", *REPLAYED, "-o", "out.html"),
}
ENDED = (0, 1, 2, 4)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a spec, its trace, and a policy that was compiled from another trace."""
    folder = tmp_path_factory.mktemp("read-once")
    write_toy(folder)
    compile_in(folder, "toy.yaml", "-o", "old")
    write_toy(folder, HELD_OUT, TRACE)
    return folder


@pytest.fixture
def openings(made, copied, monkeypatch):
    """How often each file of the folder is opened for reading."""
    folder = copied(made)
    counts = Counter()
    real = Path.open

    def counted(path, mode="r", *rest, **named):
        if "r" in mode and (folder / path).parent == folder:
            counts[path.name] += 1
            # A second opening of a pipe would wait for ever.
            assert counts[path.name] == 1 or not path.is_fifo()
        return real(path, mode, *rest, **named)

    monkeypatch.setattr(Path, "open", counted)
    return counts


def served(pipe: Path) -> None:
    """A pipe in the place of the trace, which gives the same to whoever opens it first."""
    pipe.unlink()
    os.mkfifo(pipe)
    threading.Thread(target=lambda: pipe.write_text(TRACE), daemon=True).start()


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_command_opens_each_input_once_also_a_pipe(openings, tailc, words):
    served(Path("toy.csv"))
    ended = tailc(*words)
    assert ended.code in ENDED, ended.err
    assert openings["toy.csv"] == 1
    assert set(openings.values()) == {1}, openings


def test_a_pipe_is_read_as_a_file_is(openings, tailc):
    by_file = tailc("lint-trace", "toy.csv")
    openings.clear()
    served(Path("toy.csv"))
    assert tailc("lint-trace", "toy.csv").out == by_file.out


def test_standard_input_is_read_as_a_file_is(openings, tailc, monkeypatch):
    by_file = tailc("lint-trace", "toy.csv", "--output-format", "json")
    content = io.BytesIO(TRACE.encode())
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=content))
    by_pipe = tailc("lint-trace", "-", "--output-format", "json")
    assert by_pipe.out.replace("<stdin>", "toy.csv") == by_file.out.replace("<stdin>", "toy.csv")


def test_an_input_that_vanishes_once_it_is_open_is_read_to_its_end(openings, tailc, monkeypatch):
    def vanishing(path):
        file = opened(path)
        if Path(path).suffix == ".csv":
            Path(path).unlink()
        return file

    opened = input_files.open_input
    monkeypatch.setattr(input_files, "open_input", vanishing)
    ended = tailc("compile", "toy.yaml", "--incremental", "--allow-misses", "-o", "out")
    assert (ended.code, Path("toy.csv").exists()) == (0, False), ended.err


@pytest.mark.parametrize("change", ["demand_ms\n1\n", TRACE + "9,9,9\n"], ids=["cut", "longer"])
@pytest.mark.parametrize("words", [COMMANDS["check"], COMMANDS["ingest"], COMMANDS["lint"]])
def test_an_input_that_changes_while_it_is_read_is_refused(
    openings, tailc, monkeypatch, words, change
):
    def changing(source):
        Path("toy.csv").write_text(change)
        return head(source)

    head = Source.head
    monkeypatch.setattr(Source, "head", changing)
    ended = tailc(*words)
    assert ended.code == 66
    assert "error[TC0701]: `toy.csv` changed while it was read" in ended.err


@pytest.mark.parametrize("writes", [False, True], ids=["no writer", "a silent writer"])
def test_waiting_for_a_pipe_is_interrupted(tmp_path, writes):
    pipe = tmp_path / "toy.csv"
    os.mkfifo(pipe)
    begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    opens = "import tailc.input_files as door; real = door.open_input\n"
    opens += "def told(path):\n print('opens', flush=True)\n return real(path)\n"
    opens += "door.open_input = told\n"
    run = "import sys; from tailc.cli import main; "
    run += f"sys.argv = ['tailc', 'lint-trace', {str(pipe)!r}]"
    child = [sys.executable, "-c", f"{begin}{opens}{run}; main()"]
    begun = subprocess.Popen(child, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert begun.stdout is not None
    assert begun.stdout.readline() == "opens\n"
    holder = os.open(pipe, os.O_RDWR) if writes else None
    begun.send_signal(signal.SIGINT)
    _out, err = begun.communicate(timeout=300)
    if holder is not None:
        os.close(holder)
    assert (begun.returncode, "Traceback" in err) == (130, False), err
