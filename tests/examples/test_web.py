"""The web server of an example: its requests run on the threads of their rung."""

from __future__ import annotations

import threading
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from tailc_runtime import Refused, open_policy

from tests.examples.scripts import script
from tests.tailc.artifact.published import VECTORS

server = script(Path(__file__).parents[2] / "examples" / "web" / "server.py")


@pytest.mark.parametrize(
    ("policy", "threads"), [("settings", "4 threads"), ("smallest", "1 thread"), (None, "1 thread")]
)
def test_a_request_alone_runs_on_the_threads_of_its_rung(policy, threads):
    table = policy and open_policy(VECTORS / f"{policy}.tailc")
    with server.Server(0, table) as served:
        threading.Thread(target=served.serve_forever, args=(0.01,), daemon=True).start()
        with urlopen(f"http://127.0.0.1:{served.server_port}/8") as answer:
            assert answer.read().decode() == f"8 parts on {threads}\n"
        served.shutdown()


def test_a_request_that_the_policy_refuses_gets_status_503(monkeypatch):
    def refuse(*_):
        raise Refused("too many requests are in the system")

    monkeypatch.setattr(server.Server, "answer", refuse)
    with server.Server(0, None) as served:
        threading.Thread(target=served.serve_forever, args=(0.01,), daemon=True).start()
        with pytest.raises(HTTPError, match="503") as answer:
            urlopen(f"http://127.0.0.1:{served.server_port}/8")
        assert answer.value.read() == b"too many requests are in the system\n"
        served.shutdown()
