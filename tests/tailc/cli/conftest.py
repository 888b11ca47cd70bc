import shutil

import pytest

from tests.tailc.cli.compiling import compile_in
from tests.tailc.cli.verify_case import P95, trace
from tests.tailc.toy import with_lines, write_toy


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
