"""The tests of the agent that are written in Rust."""

from __future__ import annotations

from tests.runtimes.agent.program import cargo


def test_the_crate_s_own_tests_pass() -> None:
    assert "test result: ok" in "\n".join(cargo("test", "--lib"))
