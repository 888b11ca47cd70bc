import shutil

import pytest

from tests.tailc.cli.compiling import compile_in
from tests.tailc.toy import write_toy


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
