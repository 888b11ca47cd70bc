"""`tailc` for documents and scripts: each command is forked from one that has imported everything.

They have some ten commands each, and imports take longer than most of them. `folder()` holds a
program `tailc` that hands its arguments, environment, working folder and streams to the process
here, which forks; the child is the command. `python -m tests.docs.commands SOCKET [LOCKS]` is that
process; LOCKS is where it compiles kernels once with all others.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import pkgutil
import select
import socket
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from tests.kernels import compile_once, locks_of_session

# A request is one message: an environment is some kilobytes.
_LONGEST = 1 << 17

_PROGRAM = """\
#!{python} -IS
import json, os, socket, sys
asked = {{"words": sys.argv[1:], "environment": dict(os.environ), "folder": os.getcwd()}}
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
    line.connect({socket!r})
    socket.send_fds(line, [json.dumps(asked).encode()], [0, 1, 2])
    sys.exit(int(line.recv(16) or 70))
"""


@functools.cache
def folder(environment: tuple[tuple[str, str], ...]) -> Path:
    """The folder of a `tailc` that imported everything under `environment`; ends with Python."""
    place = tempfile.TemporaryDirectory(prefix="tailc-docs-")
    listening = Path(place.name, "socket")
    program = Path(place.name, "tailc")
    program.write_text(_PROGRAM.format(python=sys.executable, socket=str(listening)))
    program.chmod(0o755)
    with _listener(listening) as listener:
        words = ["tests.docs.commands", str(listener.fileno()), *locks_of_session]
        serving = subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=Path(__file__).parents[2],
            env=dict(environment),
            stdin=subprocess.PIPE,
            pass_fds=[listener.fileno()],
        )
    atexit.register(_end, serving, place)
    return Path(place.name)


def _listener(path: Path) -> socket.socket:
    """Commands may ask from here on; they wait until everything is imported."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(path))
    listener.listen()
    return listener


def _end(serving: subprocess.Popen[bytes], place: tempfile.TemporaryDirectory[str]) -> None:
    assert serving.stdin is not None
    serving.stdin.close()
    serving.wait()
    place.cleanup()


def serve(listener: socket.socket) -> None:
    """Fork for every request, until nobody holds the other end of standard input."""
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        line, _ = listener.accept()
        if os.fork() == 0:
            os._exit(_answered(line))
        line.close()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _answered(line: socket.socket) -> int:
    """In the child: be the command that is asked for, and tell its exit code."""
    message, streams, _, _ = socket.recv_fds(line, _LONGEST, 3)
    for stream, descriptor in enumerate(streams):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    asked = json.loads(message)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv = ["tailc", *asked["words"]]
    code = _exit_code()
    line.send(str(code).encode())
    return code


def _exit_code() -> int:
    from tailc.cli import interrupts, main

    interrupts._end = sys.exit  # this process still has to send its exit code
    try:
        main()
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    else:
        code = 0
    atexit._run_exitfuncs()
    sys.stdout.flush()
    return code


def _import_all() -> None:
    for package in ("tailc", "tailc_solvers"):
        searched = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(searched, f"{package}."):
            # What only a child of a solver may import cannot be together in one process.
            if ".backends." not in module.name:
                importlib.import_module(module.name)
    # What no child collects is not copied for it.
    gc.freeze()


if __name__ == "__main__":
    _import_all()
    for place in sys.argv[2:]:
        compile_once(Path(place))
    serve(socket.socket(fileno=int(sys.argv[1])))
