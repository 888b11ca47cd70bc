"""The web server of an example: its requests run on the threads of their rung."""

from __future__ import annotations

import threading
from pathlib import Path
from urllib.request import urlopen

import pytest
from tailc_runtime import open_policy

from tests.examples.scripts import script
from tests.tailc.artifact.published import VECTORS

server = script(Path(__file__).parents[2] / "examples" / "web" / "server.py")


@pytest.mark.parametrize(
    ("policy", "threads"), [("settings", "4 threads"), ("smallest", "1 thread"), (None, "1 thread")]
)
def test_a_request_alone_runs_on_the_threads_of_its_rung(policy, threads):
    table = policy and open_policy(VECTORS / f"{policy}.tailc")
    with server.Server(0, table) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        with urlopen(f"http://127.0.0.1:{served.server_port}/8") as answer:
            assert answer.read().decode() == f"8 parts on {threads}\n"
        served.shutdown()
