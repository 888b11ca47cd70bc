"""Many reloads in the Python runtime: each way to replace a file, many services, races."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tailc_runtime import REFUSED, RELOADED, UNCHANGED, PolicyError, open_policy, watch_policy

from tailc.artifact.flat_form import encode_flat
from tests.tailc.artifact.published import VECTORS, small_policy

POLICIES = [(VECTORS / f"{name}.tailc").read_bytes() for name in ("lucene", "lanes")]
NAMES = ["lucene", "lanes"]


def many(small: int, large: int) -> list:
    """A number for every run, and one for the campaign."""
    return [small, pytest.param(large, marks=pytest.mark.fuzz)]


def write_in_place(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def rename(path: Path, data: bytes) -> None:
    beside = path.with_suffix(".new")
    beside.write_bytes(data)
    beside.replace(path)


def delete_and_create(path: Path, data: bytes) -> None:
    path.unlink()
    path.write_bytes(data)


def write_at_the_same_time(path: Path, data: bytes) -> None:
    """The time of modification stays, as with a clock of coarse ticks."""
    times = path.stat().st_mtime_ns
    path.write_bytes(data)
    os.utime(path, ns=(times, times))


def lead_elsewhere(path: Path, data: bytes) -> None:
    """As Kubernetes replaces a config map: a link to another folder."""
    folder = path.parent / "..data"
    number = len(list(path.parent.iterdir()))
    new = path.parent / f"..{number}"
    new.mkdir()
    (new / path.name).write_bytes(data)
    beside = path.parent / "beside"
    beside.symlink_to(new.name)
    beside.replace(folder)


WAYS = [write_in_place, rename, delete_and_create, write_at_the_same_time, lead_elsewhere]


@pytest.mark.parametrize("swaps", many(20, 1_000))
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_each_way_to_replace_a_file_is_noticed_each_time(
    way: Callable[[Path, bytes], None], swaps: int, tmp_path: Path
) -> None:
    path = tmp_path / "policy.tailc"
    if way is lead_elsewhere:
        lead_elsewhere(path, POLICIES[0])
        path.symlink_to(f"..data/{path.name}")
    else:
        path.write_bytes(POLICIES[0])
    watched = watch_policy(path)
    for swap in range(1, swaps + 1):
        # Half a file takes no place, and does not hide the next one.
        data = POLICIES[swap % 2]
        way(path, data[: len(data) // 2])
        assert watched.check().change == REFUSED
        assert watched.current.name == NAMES[(swap + 1) % 2]
        way(path, data)
        assert watched.check().change == RELOADED
        assert watched.current.name == NAMES[swap % 2]
        assert watched.check().change == UNCHANGED


@pytest.mark.parametrize("services", many(5, 1_000))
def test_many_services_follow_their_own_policies(services: int, tmp_path: Path) -> None:
    """Each gets ten policies, of which one in twenty is damaged."""
    rng = random.Random(1)
    paths = [tmp_path / f"{number}.tailc" for number in range(services)]

    def policy(service: int, generation: int) -> bytes:
        named = replace(small_policy(), name=f"service-{service}", generation=generation)
        return encode_flat(named)

    for service, path in enumerate(paths):
        path.write_bytes(policy(service, 1))
    watched = [watch_policy(path) for path in paths]
    live = [1] * services
    damaged = 0
    for generation in range(2, 12):
        order = list(range(services))
        rng.shuffle(order)
        for service in order:
            data = bytearray(policy(service, generation))
            is_damaged = rng.random() < 0.05
            if is_damaged:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
                damaged += 1
            else:
                live[service] = generation
            rename(paths[service], bytes(data))
            change = watched[service].check().change
            assert change == (REFUSED if is_damaged else RELOADED), (service, generation)
    assert damaged > 0
    for service, one in enumerate(watched):
        found = (one.current.name, one.current.generation)
        assert found == (f"service-{service}", live[service])


@pytest.mark.parametrize("rewrites", many(2_000, 100_000))
def test_no_bytes_are_used_that_were_not_checked(rewrites: int, tmp_path: Path) -> None:
    """A file that is written over while it is opened is refused, or is one of the two policies."""
    first, second = (
        encode_flat(replace(small_policy(), name=name, generation=generation))
        for name, generation in (("first", 1), ("other", 2))
    )
    assert len(first) == len(second)
    path = tmp_path / "policy.tailc"
    path.write_bytes(first)
    is_over = threading.Event()

    def rewrite() -> None:
        descriptor = os.open(path, os.O_WRONLY)
        for number in range(rewrites):
            data = (first, second)[number % 2]
            # In two halves, so that a reader may see parts of both.
            os.pwrite(descriptor, data[: len(data) // 2], 0)
            os.pwrite(descriptor, data[len(data) // 2 :], len(data) // 2)
        os.close(descriptor)
        is_over.set()

    writer = threading.Thread(target=rewrite)
    writer.start()
    opened, refused = set(), 0
    while not is_over.is_set():
        try:
            table = open_policy(path)
        except PolicyError:
            refused += 1
        else:
            opened.add((table.name, table.generation))
    writer.join()
    assert opened <= {("first", 1), ("other", 2)}
    assert opened or refused
    assert open_policy(path).name == "other"
