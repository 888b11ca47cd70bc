"""Runs a Python script again and again in one process, with other arguments each time.

    python -P outputs_worker.py SCRIPT

A line of standard input is a JSON list of arguments; a line of standard output answers it with the
exit code and what the script wrote. `bench.outputs` runs it by the interpreter of the tailc that it
records: imports and compiled kernels, most of the time of a short command, are loaded once.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import tempfile
import traceback
from typing import IO


def main() -> None:
    """Answer every line."""
    script = sys.argv[1]
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        for line in sys.stdin:
            print(json.dumps(answer(script, json.loads(line))), file=answers, flush=True)


def answer(script: str, arguments: list[str]) -> dict[str, object]:
    """What came of one run: the keys are those of `bench.outputs.Answer`."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        kept = [_redirected(at, file) for at, file in ((1, out), (2, err))]
        code = _exit_code(script, arguments)
        for at, descriptor in zip((1, 2), kept, strict=True):
            os.dup2(descriptor, at)
            os.close(descriptor)
        return {"exit": code, "stdout": _text(out), "stderr": _text(err)}


def _redirected(at: int, file: IO[bytes]) -> int:
    """Send the descriptor `at` into the file, also for code in C; a copy of what it was."""
    kept = os.dup(at)
    os.dup2(file.fileno(), at)
    return kept


def _exit_code(script: str, arguments: list[str]) -> object:
    sys.argv = [script, *arguments]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as ended:
        return ended.code
    except BaseException:  # what a process of its own would end with
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


if __name__ == "__main__":
    main()
