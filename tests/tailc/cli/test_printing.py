"""Standard output that takes no more, usage errors as data, and progress."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba import njit

from tailc.cli.progress import show_progress
from tailc.pipeline import compile as compiling

FULL = Path("/dev/full")
TAILC = [sys.executable, "-c", "from tailc.cli import main; main()"]


@pytest.mark.parametrize("arguments", [["inspect", "toy.tailc"], ["--help"]])
def test_a_closed_pipe_is_exit_73_without_a_word(compiled, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*TAILC, *arguments], cwd=compiled, stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (73, b"")


@pytest.mark.parametrize(
    ("streams", "code"),
    [
        ("2>&-", 64),
        ("2>/dev/full", 64),
        (">&-", 64),
        (">/dev/full", 64),
        (">&- 2>&-", 64),
        ("-v 2>&-", 0),
        ("-v 2>/dev/full", 0),
        (">&-", 73),
        (">/dev/full", 73),
        ("<&- >&- 2>&-", 73),
    ],
)
def test_no_stream_makes_a_command_crash_or_miss(in_folder, streams, code):
    words = "explain" if code == 64 else "explain TC0101"
    python = f'"{sys.executable}" -c "from tailc.cli import main; main()"'
    done = subprocess.run(
        ["bash", "-c", f"{python} {words} {streams}"],
        cwd=in_folder,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, b"Traceback" in done.stdout + done.stderr) == (code, False)


def test_no_file_takes_the_number_of_a_closed_stream(compiled, tailc):
    """What is written would be written into by what the command says."""
    words = "embed toy --lang c -o"
    assert tailc(*words.split(), "toy.h").code == 0
    call = f'"{sys.executable}" -c "from tailc.cli import main; main()" {words} again.h'
    done = subprocess.run(["bash", "-c", f"{call} >&- 2>&-"], cwd=compiled, check=False)
    assert done.returncode == 73
    assert (compiled / "again.h").read_bytes() == (compiled / "toy.h").read_bytes()


@pytest.mark.skipif(not FULL.exists(), reason="this system has no full device")
@pytest.mark.parametrize("arguments", [["inspect", "toy.tailc"], ["--help"]])
def test_a_full_disk_is_exit_73_with_one_sentence(compiled, arguments):
    with FULL.open("w") as full:
        done = subprocess.run(
            [*TAILC, *arguments], cwd=compiled, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 73
    assert done.stderr.startswith(b"cannot write to standard output")
    assert b"Traceback" not in done.stderr


def test_a_usage_error_is_data_where_data_is_asked_for(tailc):
    ended = tailc("compile", "--output-format=json")
    document = json.loads(ended.out)
    assert (ended.code, document["exit_code"]) == (64, 64)
    assert document["findings"][0]["code"] == "TC0801"
    assert tailc("nonsense", "--output-format", "github").out.startswith("::error title=TC0801")


@pytest.mark.parametrize("stem", [".", "..", "/"])
def test_a_stem_that_names_no_file_is_refused_before_the_search(compiled, tailc, stem):
    ended = tailc("compile", "no-such-spec.yaml", "-o", stem)
    assert ended.code == 64
    assert f"`{stem}` is not a name of a file" in ended.err


def test_what_cannot_be_written_is_known_before_the_search(compiled, tailc, monkeypatch):
    monkeypatch.setattr(compiling, "compile_opened", lambda *_, **__: pytest.fail("it searched"))
    ended = tailc("compile", "toy.yaml", "-o", "toy.csv/policy")
    assert ended.code == 73
    assert "cannot write `toy.csv/policy.json`" in ended.err


@pytest.mark.parametrize("rate", ["0/s", "fast", "5"])
def test_a_rate_that_is_none_is_a_usage_error(compiled, tailc, rate):
    ended = tailc("verify", "toy.tailc", "--trace", "toy.csv", "--rate", rate)
    assert ended.code == 64


def test_an_option_for_the_other_axis_is_refused(compiled, tailc):
    ended = tailc("lookup", "toy.tailc", "--in-system", "3", "--rate", "4/s")
    assert ended.code == 64
    assert "--rate does not apply" in ended.err


def test_progress_in_a_log_is_a_line_for_each_pass(capsys):
    with show_progress(True) as draw:
        draw("reading the trace", 0.0)
        draw("searching schedules", 0.1)
        draw("searching schedules", 0.5)
    assert capsys.readouterr() == ("", "reading the trace ...\nsearching schedules ...\n")


def test_progress_says_when_kernels_are_translated(capsys):
    """Once, with those that they call."""
    twice = njit(lambda x: 2 * x)
    four_times = njit(lambda x: twice(twice(x)))
    with show_progress(True) as draw:
        draw("replaying", 0.0)
        assert [four_times(3), four_times(4)] == [12, 16]
    lines = ("replaying", "translating kernels for this machine, once: 1", "replaying")
    assert capsys.readouterr() == ("", "".join(f"{line} ...\n" for line in lines))


def test_progress_is_silent_where_nobody_watches(capsys):
    with show_progress(None) as draw:
        draw("searching schedules", 0.5)
    assert capsys.readouterr() == ("", "")


def test_a_library_that_is_not_installed_is_exit_69_by_name(compiled):
    blocked = "import sys; sys.modules['pyarrow'] = None; from tailc.cli import main; main()"
    command = [sys.executable, "-c", blocked, "compile", "toy.yaml", "-o", "again"]
    done = subprocess.run(command, cwd=compiled, capture_output=True, text=True, check=False)
    assert done.returncode == 69
    assert "`pyarrow`" in done.stderr
    assert not (compiled / "again.tailc").exists()


def test_an_interrupt_is_data_where_data_is_asked_for(compiled, tailc, monkeypatch):
    import tailc.pipeline.compile as room

    def interrupted(opened, read):
        raise KeyboardInterrupt

    monkeypatch.setattr(room, "parts_of_requests", interrupted)
    ended = tailc("compile", "toy.yaml", "--output-format", "json")
    document = json.loads(ended.out)
    assert (ended.code, document["exit_code"], document["command"]) == (130, 130, "compile")


@pytest.mark.parametrize("trace", ["-", "/dev/stdin"])
def test_a_held_out_trace_may_come_through_a_pipe(compiled, trace):
    rows = b"demand_ms\n" + b"".join(b"%d\n" % (10 + i % 90) for i in range(300))
    options = ["--requests", "300", "--replicates", "50", "--format", "csv"]
    done = subprocess.run(
        [*TAILC, "verify", "toy.tailc", "--trace", trace, *options],
        cwd=compiled,
        input=rows,
        capture_output=True,
        check=False,
    )
    assert b"replayed on 300 held-out requests" in done.stdout, done.stderr


def test_completion_offers_commands_and_is_no_failure(in_folder):
    asked = {"_TAILC_COMPLETE": "bash_complete", "COMP_WORDS": "tailc ver", "COMP_CWORD": "1"}
    done = subprocess.run(
        TAILC, cwd=in_folder, env=os.environ | asked, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "plain,verify\n")
