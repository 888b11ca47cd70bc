import ipaddress
import shutil
import sys

import pytest

from tests.tailc.cli.compiling import compile_in
from tests.tailc.cli.verify_case import P95, trace
from tests.tailc.toy import with_lines, write_toy

# What a process does to reach another machine, as Python reports it to audit hooks.
REACHES = ("socket.connect", "socket.sendto", "socket.sendmsg")
ASKS_FOR_A_NAME = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")


def _is_here(address):
    """Whether it is this machine: a path, or an address of the loopback interface."""
    host = address[0] if isinstance(address, tuple) else None
    return host in (None, "", "localhost") or ipaddress.ip_address(host).is_loopback


@pytest.fixture(scope="session", autouse=True)
def _no_network():
    """No command of any test of the command line reaches another machine."""

    def refuse(event, arguments):
        if event in REACHES and not _is_here(arguments[1]):
            raise AssertionError(f"{event} to {arguments[1]}")
        if event in ASKS_FOR_A_NAME and not _is_here((arguments[0],)):
            raise AssertionError(f"{event} of {arguments[0]}")

    sys.addaudithook(refuse)


@pytest.fixture
def copied(in_folder):
    """Copy what lies in a folder into the working directory, where a test may change it."""
    return lambda folder: shutil.copytree(folder, in_folder, dirs_exist_ok=True)


@pytest.fixture(scope="session")
def _compiled_toy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compiled-toy")
    write_toy(folder)
    compile_in(folder, "toy.yaml", "-o", "toy")
    return folder


@pytest.fixture
def compiled(_compiled_toy, copied):
    """The working directory, with the worked example and the policy `toy` compiled from it."""
    return copied(_compiled_toy)


@pytest.fixture(scope="session")
def _judged_toy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judged-toy")
    write_toy(folder, with_lines(P95), trace(1, 2_000))
    compile_in(folder, "toy.yaml", "-o", "toy")
    (folder / "new.csv").write_text(trace(2, 600))
    return folder


@pytest.fixture
def judged_toy(_judged_toy, copied):
    """A policy from 2,000 requests in `toy.tailc`, and 600 more of its service in `new.csv`."""
    return copied(_judged_toy)
