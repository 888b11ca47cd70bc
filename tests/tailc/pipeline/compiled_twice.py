"""A policy compiled and written once for all tests of a module, and once more on one thread."""

from pathlib import Path

from tailc.artifact.files import write_policy
from tailc.pipeline.compile import AnyCompiled, compile_policy


def compiled_to(stem: Path, spec: Path) -> AnyCompiled:
    """On two threads, and written."""
    compiled = compile_policy(str(spec), threads=2)
    write_policy(compiled.policy, stem)
    return compiled


def assert_one_thread_writes_the_same(stem: Path, spec: Path) -> None:
    """As what was written there."""
    one = stem.with_name("one")
    write_policy(compile_policy(str(spec), threads=1).policy, one)
    for ending in (".json", ".tailc"):
        assert one.with_suffix(ending).read_bytes() == stem.with_suffix(ending).read_bytes()
