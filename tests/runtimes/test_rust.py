"""The Rust runtime beyond what every reader is asked: its own tests."""

from __future__ import annotations

import pytest

from tests.runtimes.rust import cargo

TESTS_PASS = "test result: ok"


def test_what_vectors_do_not_tell_is_as_documented() -> None:
    assert TESTS_PASS in "\n".join(cargo("test", "-F", "signatures", "--test", "runtime"))


def test_a_reader_without_signatures_trusts_nothing() -> None:
    assert TESTS_PASS in "\n".join(cargo("test", "--test", "without_signatures"))


def test_a_scheduler_gives_requests_the_threads_of_their_policy() -> None:
    assert TESTS_PASS in "\n".join(cargo("test", "-F", "threads", "--test", "schedulers"))


@pytest.mark.fuzz
def test_a_scheduler_of_tokio_gives_requests_the_degree_of_their_policy() -> None:
    said = cargo("test", "-F", "tokio,tokio/test-util", "--test", "async_schedulers")
    assert TESTS_PASS in "\n".join(said)


@pytest.mark.fuzz
def test_nothing_panics_in_many_drawn_files() -> None:
    """Each run draws others; what panics is printed, made as small as it can be."""
    said = cargo("test", "-F", "signatures", "any_bytes", PROPTEST_CASES="20000")
    assert TESTS_PASS in "\n".join(said)


@pytest.mark.fuzz
def test_a_file_may_be_swapped_for_long() -> None:
    said = cargo("test", "-F", "signatures", "swaps", TAILC_SWAPS_S="20")
    assert TESTS_PASS in "\n".join(said)
