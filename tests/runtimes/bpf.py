"""Programs in the kernel: compiled with clang, loaded with libbpf, and run by BPF_PROG_TEST_RUN."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

# What a program reads and writes: seven numbers of 64 bits.
Question = ctypes.c_uint64 * 7
HEADERS = Path("/usr/include/bpf/bpf_helpers.h")


class _RunOptions(ctypes.Structure):
    """`struct bpf_test_run_opts` of libbpf 1.0."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("data_in", ctypes.c_void_p),
        ("data_out", ctypes.c_void_p),
        ("data_size_in", ctypes.c_uint32),
        ("data_size_out", ctypes.c_uint32),
        ("ctx_in", ctypes.c_void_p),
        ("ctx_out", ctypes.c_void_p),
        ("ctx_size_in", ctypes.c_uint32),
        ("ctx_size_out", ctypes.c_uint32),
        ("retval", ctypes.c_uint32),
        ("repeat", ctypes.c_int),
        ("duration", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("cpu", ctypes.c_uint32),
        ("batch_size", ctypes.c_uint32),
    ]


def need_clang() -> None:
    """Skip without clang for BPF and the headers of libbpf, which CI need not have."""
    if shutil.which("clang") is None or not HEADERS.exists():
        pytest.skip("no clang, or no libbpf-dev")


def compile_program(source: Path, *flags: str) -> Path:
    """The object file of a BPF program; warnings are errors."""
    need_clang()
    target = source.with_suffix(".o")
    words = ["clang", "-target", "bpf", "-mcpu=v3", "-g", "-O2", "-Wall", "-Werror", *flags]
    # Debian has the headers of the kernel's types below the name of the machine.
    machine = os.uname().machine
    words += [f"-I/usr/include/{machine}-linux-gnu", "-c", str(source), "-o", str(target)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return target


class Loaded:
    """The programs of an object file in the kernel."""

    def __init__(self, path: Path) -> None:
        try:
            self._libbpf = ctypes.CDLL("libbpf.so.1", use_errno=True)
        except OSError:
            pytest.skip("no libbpf")
        messages: list[str] = []
        self._libbpf.bpf_object__open.restype = ctypes.c_void_p
        self._libbpf.bpf_object__find_program_by_name.restype = ctypes.c_void_p
        self._object = ctypes.c_void_p(self._libbpf.bpf_object__open(str(path).encode()))
        assert self._object, "libbpf cannot open the object file"
        failed = self._libbpf.bpf_object__load(self._object)
        if failed in (-1, -13):
            pytest.skip("the kernel lets this user load no BPF program")
        assert failed == 0, (failed, messages)

    def run(self, name: str, questions: Iterable[list[int]]) -> Iterator[list[int]]:
        """The numbers that a program leaves for each question."""
        found = self._libbpf.bpf_object__find_program_by_name(self._object, name.encode())
        program = self._libbpf.bpf_program__fd(ctypes.c_void_p(found))
        memory = Question()
        options = _RunOptions(size=ctypes.sizeof(_RunOptions))
        options.ctx_in, options.ctx_size_in = ctypes.addressof(memory), ctypes.sizeof(memory)
        for question in questions:
            memory[:] = question + [0] * (len(memory) - len(question))
            failed = self._libbpf.bpf_prog_test_run_opts(program, ctypes.byref(options))
            assert failed == 0, os.strerror(ctypes.get_errno())
            yield list(memory)

    def close(self) -> None:
        self._libbpf.bpf_object__close(self._object)
