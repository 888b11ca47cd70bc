"""A web server whose requests get their threads from a policy, by load and age.

    python server.py [--policy FILE] [--port N]

Each request hashes as many parts as its path says, `/40` say, or as it draws; parts of one request
may run at once, since hashing leaves Python's global lock. Without a policy a request has one
thread. It needs `tailc-runtime` alone.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import random
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic_ns

from tailc_runtime import NOW, WAIT, PolicyTable, open_policy

PART = bytes(1 << 20)
# Of a log-normal number of parts: its median, and the deviation of its logarithm.
MEDIAN_PARTS, SIGMA = 10, 1.0
MOST_THREADS = 64


class Line:
    """Who is in the system, and who waits to start, in order of arrival."""

    def __init__(self, table: PolicyTable) -> None:
        self.table = table
        self.in_system = 0
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def stay(self) -> Iterator[None]:
        """Begins when the policy lets the request start; its end is the request's exit."""
        self._enter()
        try:
            yield
        finally:
            self._leave()

    def _enter(self) -> None:
        arrived_ns, me = monotonic_ns(), object()
        with self._changed:
            self.in_system += 1
            self._waiting.append(me)
            self._changed.notify_all()
            while me in self._waiting:
                waited_us = (monotonic_ns() - arrived_ns) // 1000
                start, wait_us, _ = self.table.lookup(self.in_system, waited_us, 0)
                is_alone = len(self._waiting) == self.in_system
                if self._waiting[0] is me and (start == NOW or is_alone):
                    self._waiting.popleft()
                    self._changed.notify_all()
                else:
                    self._changed.wait(wait_us / 1e6 if start == WAIT else None)

    def _leave(self) -> None:
        """The first that waits starts, whatever its row says: one for each exit."""
        with self._changed:
            self.in_system -= 1
            if self._waiting:
                self._waiting.popleft()
            self._changed.notify_all()


class Server(ThreadingHTTPServer):
    """Serves requests on the threads that `table` gives them, or on one."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, table: PolicyTable | None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.line = Line(table) if table else None
        self.threads = ThreadPoolExecutor(MOST_THREADS)

    def answer(self, parts: int) -> int:
        """Does the work of a request; how many threads it had at its end."""
        if self.line is None:
            self.run(iter(range(parts)))
            return 1
        with self.line.stay():
            return self._climb(iter(range(parts)), self.line)

    def _climb(self, parts: Iterator[int], line: Line) -> int:
        """At every quantum look up the request's age, and give it the threads it is to have."""
        table, began_ns = line.table, monotonic_ns()
        running: list[Future[None]] = []
        ticks, unfinished = 0, True
        while unfinished:
            executed_us = (monotonic_ns() - began_ns) // 1000
            rung = table.lookup(line.in_system, 0, executed_us)[2]
            # No request gives up threads that it has.
            while len(running) < (table.settings[rung].threads or 1):
                running.append(self.threads.submit(self.run, parts))
            ticks += 1
            left_us = ticks * table.quantum_us - (monotonic_ns() - began_ns) // 1000
            unfinished = wait(running, max(left_us, 0) / 1e6).not_done
        return len(running)

    def run(self, parts: Iterator[int]) -> None:
        """One thread of a request: takes part after part, which it shares with the others."""
        for _ in parts:
            hashlib.sha256(PART)


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    # Head and body leave together.
    wbufsize = 1 << 16
    server: Server

    def handle(self) -> None:
        """Until the client hangs up, whichever way."""
        with contextlib.suppress(ConnectionError):
            super().handle()

    def do_GET(self) -> None:
        """Do the work that the path asks for."""
        asked = self.path.strip("/")
        drawn = random.lognormvariate(0, SIGMA) * MEDIAN_PARTS
        parts = int(asked) if asked.isdecimal() else round(drawn) + 1
        threads = self.server.answer(parts)
        text = f"{parts} parts on {threads} thread{'s' * (threads > 1)}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Nothing: a line a request would take more time than some requests."""


def main() -> None:
    """Serve until it is stopped."""
    options = argparse.ArgumentParser(description="A web server that follows a policy.")
    options.add_argument("--policy", help="a policy that tailc compiled")
    options.add_argument("--port", type=int, default=8080, help="0 for any that is free")
    chosen = options.parse_args()
    table = open_policy(chosen.policy) if chosen.policy else None
    with Server(chosen.port, table) as server, contextlib.suppress(KeyboardInterrupt):
        print(f"port {server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
