"""Policies that several tests of a module begin with are compiled once."""

from contextlib import chdir

from tailc.cli import run


def compile_in(folder, *words):
    """`tailc compile` with these words, and `folder` as its working directory."""
    with chdir(folder):
        assert run(["compile", *words, "--no-progress"]) == 0
