"""A policy of the Python runtime follows its file."""

from __future__ import annotations

import itertools
import os
import resource
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tailc_runtime import (
    REFUSED,
    RELOADED,
    UNCHANGED,
    OtherForm,
    OtherService,
    PolicyTable,
    Truncated,
    Watched,
    watch_plan,
    watch_policies,
    watch_policy,
    watch_shares,
    watch_tail_table,
)

from tests.tailc.artifact.published import VECTORS

# So long that it only ends a hang.
HANG_S = 300

LUCENE = (VECTORS / "lucene.tailc").read_bytes()
LANES = (VECTORS / "lanes.tailc").read_bytes()
# A load and an age at which the two differ.
QUESTION = (0, 0, 100_000)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "policy.tailc"
    path.write_bytes(LUCENE)
    return path


def replace(path: Path, data: bytes) -> None:
    beside = path.with_suffix(".new")
    beside.write_bytes(data)
    beside.replace(path)


def link(path: Path, target: str) -> None:
    beside = path.with_suffix(".new")
    beside.symlink_to(target)
    beside.replace(path)


def test_a_file_that_stays_is_not_opened_again(path: Path) -> None:
    watched = watch_policy(path)
    first = watched.current
    assert watched.check().change == UNCHANGED
    assert watched.current is first


def test_the_same_content_is_the_same_policy(path: Path) -> None:
    watched = watch_policy(path)
    first = watched.current
    replace(path, LUCENE)
    assert watched.check().change == UNCHANGED
    assert watched.current is first


def test_a_file_written_in_place_takes_the_place_of_the_policy(path: Path) -> None:
    watched = watch_policy(path)
    path.write_bytes(LANES)
    assert watched.current.name == "lucene"
    assert watched.check() == (RELOADED, None)
    assert watched.current.name == "lanes"


def test_a_file_renamed_over_it_does_too(path: Path) -> None:
    watched = watch_policy(path)
    replace(path, LANES)
    assert watched.check().change == RELOADED
    assert watched.current.name == "lanes"


def test_so_does_a_link_on_the_way_that_leads_elsewhere(tmp_path: Path) -> None:
    """As Kubernetes mounts a config map: a link into `..data`, itself a link to a folder."""
    for name, data in (("one", LUCENE), ("two", LANES)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "policy.tailc").write_bytes(data)
    link(tmp_path / "..data", "one")
    link(tmp_path / "policy.tailc", "..data/policy.tailc")
    watched = watch_policy(tmp_path / "policy.tailc")
    link(tmp_path / "..data", "two")
    assert watched.check().change == RELOADED
    assert watched.current.name == "lanes"


def test_a_change_within_one_tick_of_the_clock_is_seen(path: Path) -> None:
    """Of equal length, in the same file, and with the time of modification set back."""
    later = bytearray(LUCENE)
    watched = watch_policy(path)
    times = path.stat().st_mtime_ns
    later[100] ^= 1
    path.write_bytes(later)
    os.utime(path, ns=(times, times))
    assert watched.check().change == REFUSED


def test_half_a_file_is_refused_once_and_read_again_when_it_is_whole(path: Path) -> None:
    watched = watch_policy(path)
    counters = watched.current.counters
    path.write_bytes(LANES[: len(LANES) // 2])
    change, why = watched.check()
    assert (change, type(why)) == (REFUSED, Truncated)
    assert str(path) in str(why)
    assert watched.check().change == UNCHANGED
    assert (counters.refused_reloads, counters.last_refusal) == (1, "truncated")
    assert watched.current.name == "lucene"
    path.write_bytes(LANES)
    assert watched.check().change == RELOADED
    assert watched.current.counters is counters


def test_a_file_that_is_gone_counts_once(path: Path) -> None:
    watched = watch_policy(path)
    path.unlink()
    assert isinstance(watched.check().why, FileNotFoundError)
    assert watched.check().change == UNCHANGED
    assert watched.current.counters.last_refusal == "unreadable"
    path.write_bytes(LUCENE)
    assert watched.check().change == UNCHANGED


def test_a_file_that_cannot_be_opened_for_a_while_is_tried_again_as_it_is(path: Path) -> None:
    """As in a server that has too many connections."""
    watched = watch_policy(path)
    path.write_bytes(LANES)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        looks = [watched.check() for _ in range(2)]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert [look.change for look in looks] == [REFUSED, UNCHANGED]
    assert watched.current.counters.refused_reloads == 1
    assert watched.check().change == RELOADED


def test_successors_are_asked_as_the_first_one_was(path: Path) -> None:
    watched = watch_policy(path, service="lucene")
    replace(path, LANES)
    assert isinstance(watched.check().why, OtherService)
    with pytest.raises(OtherService):
        watch_policy(path, service="lucene")


def test_a_policy_of_another_form_takes_no_place(path: Path) -> None:
    watched = watch_policy(path)
    shutil.copy(VECTORS / "shares.tailc", path)
    assert isinstance(watched.check().why, OtherForm)
    assert watched.current.counters.last_refusal == "other-form"


def test_every_form_can_be_watched() -> None:
    assert set(watch_policies(VECTORS / "classes.tailc").current) == {None, "short"}
    assert watch_policy(VECTORS / "classes.tailc", "short").current.request_class == "short"
    assert watch_tail_table(VECTORS / "tails.tailc").current.positions > 0
    assert watch_shares(VECTORS / "shares.tailc").current.served
    assert watch_plan(VECTORS / "plan.tailc").current.pools


def test_a_thread_looks_at_the_file_until_it_is_stopped(path: Path) -> None:
    with watch_policy(path).start(0.001) as watched:
        replace(path, LANES)
        wait_for(watched, "lanes")
        with pytest.raises(RuntimeError, match="already"):
            watched.start()
    replace(path, LUCENE)
    time.sleep(0.02)
    assert watched.current.name == "lanes"
    with pytest.raises(ValueError, match="above 0"):
        watched.start(0)


def wait_for(watched: Watched[PolicyTable], name: str) -> None:
    deadline = time.monotonic() + HANG_S
    while watched.current.name != name:
        assert time.monotonic() < deadline, f"{name} never came"
        time.sleep(0.001)


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Threads take turns often, so that none waits long for those that look up."""
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval_s)


@pytest.mark.usefixtures("eager_threads")
def test_answers_are_whole_while_the_file_changes_often(path: Path) -> None:
    wanted = {"lucene": (0, 0, 3), "lanes": (0, 0, 1)}
    watched = watch_policy(path).start(0.0005)
    is_over = threading.Event()
    torn, seen = [], set()

    def look_up() -> None:
        while not is_over.is_set():
            table = watched.current
            seen.add(table.name)
            if table.lookup(*QUESTION) != wanted[table.name]:
                torn.append(table.name)

    readers = [threading.Thread(target=look_up) for _ in range(2)]
    for reader in readers:
        reader.start()
    deadline = time.monotonic() + HANG_S
    for number, data in enumerate(itertools.cycle((LANES, LUCENE))):
        (replace if number % 3 else Path.write_bytes)(path, data)
        time.sleep(0.001)
        if number >= 200 and (len(seen) > 1 or time.monotonic() > deadline):
            break
    is_over.set()
    for reader in readers:
        reader.join()
    watched.stop()
    replace(path, LANES)
    watched.check()
    assert not torn
    assert seen == {"lucene", "lanes"}
    assert watched.current.name == "lanes"
