"""WSGI middleware that writes what each request takes of its thread's CPU, as a CSV for tailc."""

import contextlib
import threading
import time


class MeasuredDemand:
    """Wraps a WSGI application; `path` is appended to, a row a request."""

    def __init__(self, application, path):
        self.application = application
        self.file = open(path, "a", buffering=1)  # noqa: PTH123, SIM115, open as long as the server
        self.lock = threading.Lock()
        if self.file.tell() == 0:
            self.file.write("demand_us\n")

    def __call__(self, environ, start_response):
        """The application's answer; the work of its parts counts, and what fails or is left."""
        began_ns = time.thread_time_ns()
        try:
            body = self.application(environ, start_response)
            with contextlib.closing(body) if hasattr(body, "close") else contextlib.nullcontext():
                yield from body
        finally:
            self.record((time.thread_time_ns() - began_ns) // 1000)

    def record(self, demand_us):
        """Write a row; a trace has no demand of 0."""
        with self.lock:
            self.file.write(f"{max(demand_us, 1)}\n")
