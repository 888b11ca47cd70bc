"""An agent with a clock: its sources and metrics, and policies that are replaced or refused."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tailc.artifact.files import write_policy
from tests.runtimes.agent.program import contents, options, printed, program, run, until
from tests.runtimes.agent.test_autopro import (
    drawn_ticks,
    groups_of,
    make_machine,
    policy_file,
    write_inputs,
)
from tests.runtimes.agent.test_undo import FAST, live_words, started
from tests.tailc.artifact.published import VECTORS, shares_policy

EXPOSITION = b'# TYPE done_total counter\ndone_total{vm="a"} 7\ndone_total{vm="b"} 9\nwaiting 2\n'


class Endpoint(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/metrics" else 404)
        self.end_headers()
        self.wfile.write(EXPOSITION)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing."""


@contextmanager
def http_endpoint() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Endpoint) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/metrics"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def unix_endpoint(path: Path) -> Iterator[str]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.sendall(b"12.5\n")

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"unix:{path}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_counters_come_from_an_endpoint_and_a_socket_and_metrics_go_to_both(tmp_path: Path) -> None:
    shares, policy = policy_file(tmp_path, **FAST)
    root = make_machine("v2-acpi", tmp_path / "machine", shares)
    first, second = (one.name for one in shares.served_machines)
    before, metrics = contents(root), tmp_path / "metrics"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with http_endpoint() as url, unix_endpoint(tmp_path / "socket") as unix:
        sources = {first: f'{url}#done_total{{vm="b"}}', second: unix}
        words = ["run", policy, "--root", root, *groups_of(shares)]
        words += [*options("--throughput", sources), "--waiting", f"{first}={url}#waiting"]
        words += ["--metrics", metrics, "--listen", address]
        with started(*words) as agent:
            until(lambda: contents(root) != before, "limits are set")
            until(metrics.exists, "metrics are written")
            with urllib.request.urlopen(f"http://{address}/metrics") as answer:
                served = answer.read().decode()
            agent.terminate()
            assert agent.wait() == 0
    for text in (metrics.read_text(), served):
        assert text.endswith("# EOF\n")
        assert "tailc_agent_missing_inputs_total " in text
        assert f'tailc_agent_throughput{{machine="{first}"}} 0' in text
        assert "tailc_agent_blind 0" in text


@contextmanager
def stalled_source(kind: str, folder: Path) -> Iterator[str]:
    """A source that never gives a number, and never ends a read either."""
    path = folder / "stalled"
    if kind == "pipe":
        os.mkfifo(path)
        yield str(path)
        return
    with socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET) as listener:
        listener.bind(str(path) if kind == "unix" else ("127.0.0.1", 0))
        listener.listen(0)
        if kind == "unix":
            yield f"unix:{path}"
            return

        def send_slowly() -> None:
            """A byte for each read, for ever."""
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection, contextlib.suppress(OSError):
                        while connection.send(b"1"):
                            time.sleep(0.01)

        thread = threading.Thread(target=send_slowly)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize("kind", ["pipe", "unix", "http"])
def test_a_source_that_stalls_does_not_stop_the_agent(kind: str, tmp_path: Path) -> None:
    shares, policy = policy_file(tmp_path, **FAST)
    root = make_machine("v2-acpi", tmp_path / "machine", shares)
    with stalled_source(kind, tmp_path) as source:
        sources = {one.name: source for one in shares.served_machines}
        words = ["run", policy, "--root", root, *groups_of(shares)]
        done = run(*words, *options("--throughput", sources), "--dry-run", "--ticks", 5)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"no limits are set until all inputs can be read: `{source}` " in done.stderr


def test_a_source_without_a_number_is_reported_once(tmp_path: Path) -> None:
    words, _ = live_words(tmp_path, "v2-acpi")
    (tmp_path / "done").write_text("none\n")
    done = run(*words, "--dry-run", "--ticks", 5)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.count("warning: ") == 1
    assert f"`{tmp_path / 'done'}` has no number of 0 or more" in done.stderr


def test_a_newer_policy_takes_effect_and_one_for_other_machines_does_not(tmp_path: Path) -> None:
    words, root = live_words(tmp_path, "v2-acpi")
    policy = shares_policy()
    assert policy.shares is not None
    machines = policy.shares.machines
    before, file = contents(root), f"sys/fs/cgroup/{machines[0].name}.slice/cpu.max"
    metrics = tmp_path / "metrics"
    with started(*words, "--metrics", metrics) as agent:
        until(lambda: contents(root) != before, "limits are set")
        fewer = replace(policy.shares, **FAST, machines=machines[:2])
        _publish(replace(policy, generation=8, forms=(fewer,)), tmp_path)
        assert agent.stderr is not None
        assert "not applied" in agent.stderr.readline()
        metrics.unlink(missing_ok=True)
        until(metrics.exists, "metrics are written")
        assert f"tailc_agent_policy_generation {policy.generation}\n" in metrics.read_text()
        longer = replace(policy.shares, **FAST | {"enforce_us": 40_000})
        _publish(replace(policy, generation=9, forms=(longer,)), tmp_path)
        until(lambda: contents(root)[file].endswith(" 40000\n"), "the new period is written")


def _publish(policy: object, folder: Path) -> None:
    _, flat = write_policy(policy, folder / "next")  # type: ignore[arg-type]
    flat.rename(folder / "policy.tailc")


def test_only_policies_signed_with_a_trusted_key_are_applied() -> None:
    """The signed vector is for threads: the agent reads it, and has no kind for it."""
    signed = VECTORS / "signed"
    first, second = signed / "test-key-1.pem", signed / "test-key-2.pem"
    for keys, code, message in (
        ([first], 69, "a rung of the policy has no frequency"),
        ([second, first], 69, "a rung of the policy has no frequency"),
        ([second], 5, "the policy is refused: unknown-key"),
    ):
        words = [word for key in keys for word in ("--trust", key)]
        done = run("run", signed / "good.tailc", *words, "--dry-run")
        assert (done.returncode, message in done.stderr) == (code, True), done.stderr
    assert "`--trust` names the public keys" in done.stderr
    done = run("run", VECTORS / "shares.tailc", "--trust", first, "--dry-run")
    assert (done.returncode, "unsigned" in done.stderr) == (5, True)
    done = run("run", VECTORS / "shares.tailc", "--trust", signed / "good.tailc", "--dry-run")
    assert done.returncode in (65, 66)
    done = run("run", VECTORS / "shares.tailc", "--service", "another", "--dry-run")
    assert (done.returncode, "other-service" in done.stderr) == (5, True)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["walk"], 64, "no command `walk`"),
        (["run"], 64, "`run` needs a policy"),
        (["run", "p", "--fast"], 64, "no option `--fast`"),
        (["run", "p", "--cgroup", "web"], 64, "it is written `NAME=VALUE`"),
        (["run", "p", "--floor", "2"], 64, "`2` is no share such as `2%`"),
        (["run", "p", "--stale", "5"], 64, "`5` is no time"),
        (["run", "p", "--cores", "0"], 64, "`--cores 0`"),
        (["run", "p", "--cores", "16385"], 64, "a host has at most 16384"),
        (["run", "p", "--tick", "0ms"], 64, "`--tick 0ms`: it is 1 us or more"),
        (["run", "p", "--zero", "stop"], 64, "it is `floor` or `freeze`"),
        (["run", "no-such-file"], 66, "no-such-file"),
        (["run", __file__], 5, "the policy is refused: truncated"),
        (["run", str(VECTORS / "plan.tailc"), "--dry-run"], 69, "cannot apply a policy of kind"),
    ],
)
def test_a_wrong_command_is_explained(words: list[str], code: int, message: str) -> None:
    done = run(*words)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "\n  = help: " in done.stderr


@pytest.mark.parametrize("option", ["--journal", "--requests", "--metrics", "--board", "--state"])
@pytest.mark.parametrize("other", ["the policy", "`--inputs`", "`--trust`"])
def test_no_file_that_is_written_is_one_that_is_read(
    option: str, other: str, tmp_path: Path
) -> None:
    read = tmp_path / "read"
    read.write_text("time_ms\n")
    link = tmp_path / "link"
    link.symlink_to(read)
    words: list[object] = ["p", other.strip("`"), read] if "`" in other else [read]
    done = run("run", *words, option, link)
    assert (done.returncode, read.read_text()) == (64, "time_ms\n")
    assert f"`{option} {link}` is also the file of {other}" in done.stderr


def test_two_options_do_not_write_one_new_file(tmp_path: Path) -> None:
    new = tmp_path / "new"
    again = tmp_path / ".." / tmp_path.name / "new"
    done = run("run", "p", "--journal", new, "--requests", again)
    assert (done.returncode, new.exists()) == (64, False)
    assert "is also the file of `--journal`" in done.stderr


def test_a_dry_run_whose_output_cannot_be_written_fails(tmp_path: Path) -> None:
    shares, policy = policy_file(tmp_path)
    make_machine("v2-acpi", tmp_path, shares)
    inputs = write_inputs(tmp_path / "inputs.csv", shares, drawn_ticks(shares, seed=1, steps=1))
    words = ["run", policy, "--root", tmp_path, "--dry-run", "--inputs", inputs, *groups_of(shares)]
    with Path("/dev/full").open("w") as full:
        command = [str(program()), *map(str, words)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 73
    assert "`standard output` cannot be written" in done.stderr


@pytest.mark.parametrize("option", ["--inputs", "--trust"])
def test_a_pipe_is_refused_and_not_waited_for(option: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    shares, policy = policy_file(tmp_path)
    root = make_machine("v2-acpi", tmp_path / "machine", shares)
    done = run("run", policy, "--root", root, "--dry-run", *groups_of(shares), option, pipe)
    assert done.returncode == 66
    assert "it is no regular file" in done.stderr


def test_a_journal_that_is_full_ends_and_the_agent_goes_on(tmp_path: Path) -> None:
    shares, policy = policy_file(tmp_path)
    root = make_machine("v2-acpi", tmp_path / "machine", shares)
    inputs = write_inputs(tmp_path / "inputs.csv", shares, drawn_ticks(shares, seed=5, steps=9))
    words = ["run", policy, "--root", root, "--inputs", inputs, "--dry-run", *groups_of(shares)]
    journal = tmp_path / "journal.csv"
    done = subprocess.run(
        [str(program()), *map(str, words), "--journal", str(journal)],
        capture_output=True,
        text=True,
        check=True,
        restore_signals=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
    )
    assert (done.stdout.splitlines(), journal.stat().st_size) == (printed(*words), 100)
    assert done.stderr.count("warning: the journal ends here") == 1


def test_a_place_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    shares, policy = policy_file(tmp_path)
    root = make_machine("v2-acpi", tmp_path / "machine", shares)
    words = ["run", policy, "--root", root, "--dry-run", *groups_of(shares)]
    inputs = write_inputs(tmp_path / "inputs.csv", shares, drawn_ticks(shares, seed=5, steps=1))
    done = run(*words, "--inputs", inputs, "--journal", tmp_path / "none" / "journal.csv")
    assert (done.returncode, "create its folder" in done.stderr) == (73, True)


def test_an_agent_whose_warnings_are_not_read_goes_on(tmp_path: Path) -> None:
    words, _ = live_words(tmp_path, "v2-acpi")
    (tmp_path / "done").unlink()
    reader, writer = os.pipe()
    os.close(reader)
    try:
        command = [str(program()), *map(str, words), "--ticks", "3"]
        done = subprocess.run(command, stderr=writer, check=False, timeout=60)
    finally:
        os.close(writer)
    assert done.returncode == 0


def test_each_command_has_the_help() -> None:
    expected = printed("--help")
    assert expected[0] == "Apply a policy of tailc to this machine."
    for words in (["run", "--help"], ["undo", "-h"], ["bench", "--help"]):
        assert printed(*words) == expected


def test_a_machine_without_its_control_group_is_named(tmp_path: Path) -> None:
    shares, policy = policy_file(tmp_path)
    root = make_machine("v2-acpi", tmp_path / "machine", shares)
    names = [one.name for one in shares.machines]
    words = ["run", policy, "--root", root, "--dry-run"]
    done = run(*words, *options("--cgroup", {name: f"/none/{name}" for name in names}))
    assert done.returncode == 69
    assert f"no cgroup `/none/{names[0]}` with limits of processor time" in done.stderr
    done = run(*words, *options("--cgroup", dict.fromkeys(names, "/web.slice")))
    assert done.returncode == 64
    assert "have one cgroup, `/web.slice`" in done.stderr
    (root / f"sys/fs/cgroup/{names[0]}.slice/cpu.max").unlink()
    done = run(*words, *groups_of(shares))
    assert done.returncode == 69
    assert "its parent does not delegate `cpu`" in done.stderr
    done = run(*words, "--cgroup", "nobody=/x")
    assert (done.returncode, "the policy has no `nobody`" in done.stderr) == (64, True)
