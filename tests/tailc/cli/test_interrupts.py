"""Signals end a command within a second, also where it is in a compiled loop."""

import json
import signal
import subprocess
import sys
import time

import pytest

# A loop that takes minutes and lets other threads run, as all compiled loops here do; without
# waiting for a compiler, one of the standard library's.
SEARCH = """
import hashlib, signal, sys
# A shell's background job ignores interrupts, and so would its children.
signal.signal(signal.SIGINT, signal.default_int_handler)
from tailc.cli import main
from tailc.cli.explain_command import command

def searching(**_):
    print("searching", file=sys.stderr, flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 1_000_000_000)

command.callback = searching
sys.argv = ["tailc", "explain", "TC0101", "--output-format", "json"]
main()
"""
POOL = SEARCH.replace(
    '    hashlib.pbkdf2_hmac("sha256", b"", b"", 1_000_000_000)',
    """    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(1) as pool:
        pool.submit(hashlib.pbkdf2_hmac, "sha256", b"", b"", 1_000_000_000).result()""",
)


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
    time.sleep(0.3)
    begun.send_signal(signal.SIGTERM)
    assert begun.wait(timeout=30) == 143


@pytest.mark.parametrize("program", [SEARCH, POOL], ids=["loop", "thread"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_compiled_search_within_a_second(program, number, code):
    begun = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert begun.stderr is not None
    while "searching" not in begun.stderr.readline():
        pass
    time.sleep(0.3)  # until it is in the loop
    sent = time.monotonic()
    begun.send_signal(number)
    out, err = begun.communicate(timeout=30)
    took = time.monotonic() - sent
    assert (begun.returncode, json.loads(out)["exit_code"]) == (code, code)
    assert "interrupted" in err
    assert "Traceback" not in err
    # Half a second, and what a busy machine adds.
    assert took < 2
