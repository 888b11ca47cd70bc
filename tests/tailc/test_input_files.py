"""What is opened to be read ends by itself."""

import os
import socket
import threading
from contextlib import ExitStack

import pytest

from tailc import input_files
from tailc.input_files import input_bytes, inputs_held, open_input, seekable_input


def test_a_file_and_a_pipe_are_opened(tmp_path):
    (tmp_path / "file").write_bytes(b"content")
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"content",))
    writer.start()
    for name in ("file", "pipe"):
        with open_input(tmp_path / name) as file:
            assert file.read() == b"content"
    writer.join()


def test_the_null_device_is_empty():
    with open_input(os.devnull) as file:
        assert file.read() == b""


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/random"])
def test_a_device_is_no_file(device):
    with pytest.raises(OSError, match="it is a device or a socket, not a file"):
        open_input(device)


def test_a_socket_is_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        with pytest.raises(OSError, match="it is a device or a socket, not a file"):
            open_input("socket")


def test_a_pipe_is_held_beyond_the_number_of_files_that_are(tmp_path, monkeypatch):
    monkeypatch.setattr(input_files, "MOST_HELD", 0)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"content",))
    writer.start()
    with inputs_held(), ExitStack() as until_read:
        first = seekable_input(str(tmp_path / "pipe"), until_read)
        assert seekable_input(str(tmp_path / "pipe"), until_read) is first
    writer.join()


def test_the_first_bytes_of_an_input_are_as_many_as_are_asked_for(tmp_path):
    (tmp_path / "file").write_bytes(b"content")
    with inputs_held():
        assert input_bytes(str(tmp_path / "file"), 0) == b""
        assert input_bytes(str(tmp_path / "file"), 4) == b"cont"
