"""Signals end a command, also where it is in a compiled loop."""

import ast
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import tailc_solvers

import tailc

# A loop that takes minutes and lets other threads run, as all compiled loops here do; without
# waiting for a compiler, one of the standard library's.
SEARCH = """
import hashlib, signal, sys, threading
# A shell's background job ignores interrupts, and so would its children.
signal.signal(signal.SIGINT, signal.default_int_handler)
from tailc.cli import main
from tailc.cli.explain_command import command

# No thread runs beside another that holds the lock, so this one speaks from within the loop.
sys.setswitchinterval(1e6)
begins = threading.Event()
def speak():
    begins.wait()
    print("searching", file=sys.stderr, flush=True)
threading.Thread(target=speak).start()

def searching(**_):
    begins.set()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)

command.callback = searching
sys.argv = ["tailc", "explain", "TC0101", "--output-format", "json"]
main()
"""
POOL = SEARCH.replace(
    '    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)',
    """    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(1) as pool:
        pool.submit(hashlib.pbkdf2_hmac, "sha256", b"", b"", 2_000_000_000).result()""",
)
# The loops take longer, so that only a signal can end them; however busy the machine is.
HANG_S = 300


def test_a_signal_ends_a_command_that_nobody_reads():
    begun = subprocess.Popen(
        [sys.executable, "-c", SEARCH], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert begun.stdout is not None
    assert begun.stderr is not None
    while "searching" not in begun.stderr.readline():
        pass
    begun.stdout.close()
    begun.stderr.close()
    begun.send_signal(signal.SIGTERM)
    assert begun.wait(HANG_S) == 143


@pytest.mark.parametrize("program", [SEARCH, POOL], ids=["loop", "thread"])
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_a_compiled_search(program, number, code):
    begun = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert begun.stderr is not None
    while "searching" not in begun.stderr.readline():
        pass
    begun.send_signal(number)
    out, err = begun.communicate(timeout=HANG_S)
    assert (begun.returncode, json.loads(out)["exit_code"]) == (code, code)
    assert "interrupted" in err
    assert "Traceback" not in err


def test_every_compiled_loop_lets_the_thread_run_that_hears_of_signals():
    """What is written into its callers (`inline`) runs as they do."""
    packages = [Path(package.__file__).parent for package in (tailc, tailc_solvers)]
    texts = {path: path.read_text() for package in packages for path in package.rglob("*.py")}
    compiled = [
        (path, {word.arg: ast.literal_eval(word.value) for word in call.keywords})
        for path, text in texts.items()
        if "jit(" in text
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("jit")
    ]
    assert len(compiled) > 3
    for path, words in compiled:
        assert words.get("nogil") or words.get("inline") == "always", path
    assert not [path for path, text in texts.items() if "@njit\n" in text]
