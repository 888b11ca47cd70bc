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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tailc_runtime import PolicyTable, Refused, Scheduler, open_policy

PART = bytes(1 << 20)
# Of a log-normal number of parts: its median, and the deviation of its logarithm.
MEDIAN_PARTS, SIGMA = 10, 1.0
MOST_THREADS = 64


class Server(ThreadingHTTPServer):
    """Serves requests on the threads that `table` gives them, or on one."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, table: PolicyTable | None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.scheduler = Scheduler(table, MOST_THREADS) if table else None

    def answer(self, parts: int) -> int:
        """Do the work of a request; return how many threads it has at its end."""
        if self.scheduler is None:
            for _ in range(parts):
                hash_part()
            return 1
        with self.scheduler.admitted() as running:
            self.scheduler.run_parts(running, [hash_part] * parts)
            return running.threads


def hash_part() -> None:
    """A part of a request, which may run on any thread."""
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
        try:
            threads = self.server.answer(parts)
            status, line = 200, f"{parts} parts on {threads} thread{'s' * (threads > 1)}\n"
        except Refused as why:
            status, line = 503, f"{why}\n"
        text = line.encode()
        self.send_response(status)
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
