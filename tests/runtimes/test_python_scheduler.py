"""Schedulers on threads and in an event loop; time passes only where a test lets it."""

from __future__ import annotations

import asyncio
import errno
import os
import selectors
import shutil
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tailc_runtime import (
    AsyncScheduler,
    DemandLog,
    Refused,
    ScheduleError,
    Scheduler,
    open_policy,
    watch_policy,
)
from tailc_runtime.boosting import Booster
from tailc_runtime.core_binding import CoreBinding
from tailc_runtime.parallel_task import ParallelTask
from tailc_runtime.scheduling import Scheduling

from tests.tailc.artifact.published import VECTORS

T = TypeVar("T")
MS = 1_000_000
SETTINGS = VECTORS / "settings.tailc"


class Clock:
    """A time that a test sets."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


class Pool:
    """Runs nothing by itself."""

    def __init__(self) -> None:
        self.work: list[Any] = []

    def submit(self, work: Any) -> None:
        self.work.append(work)


def test_a_request_has_the_threads_of_its_rung_at_once() -> None:
    # Four of its parts meet: one request alone is on the rung of four threads.
    meeting = threading.Barrier(4, timeout=30)
    with Scheduler(open_policy(SETTINGS), 4) as scheduler:
        found = scheduler.run([meeting.wait] * 4)
        assert sorted(found) == [0, 1, 2, 3]
        assert "tailc_exits_total 1" in scheduler.metrics()


def test_a_part_that_fails_ends_the_request_and_is_raised() -> None:
    def fail() -> None:
        raise KeyError("no such document")

    with Scheduler(open_policy(SETTINGS), 4) as scheduler:
        with pytest.raises(KeyError, match="no such document"):
            scheduler.run([fail])
        assert scheduler.run([lambda: 7] * 9) == [7] * 9
        assert scheduler.run([]) == []


def test_a_refused_request_does_not_enter() -> None:
    table = open_policy(VECTORS / "overload.tailc")
    scheduling = Scheduling(table, Clock(), None)
    for _ in range(table.overload.shed_from or 0):
        scheduling.arrive(None, lambda: None)
    with pytest.raises(Refused):
        scheduling.arrive(None, lambda: None)
    assert scheduling.in_system == table.overload.shed_from
    assert "tailc_refused_total 1" in scheduling.metrics()


def test_processor_times_are_logged(tmp_path: Path) -> None:
    with (
        DemandLog(tmp_path / "demand.csv", 1) as log,
        Scheduler(open_policy(SETTINGS), 2, log=log) as scheduler,
    ):
        scheduler.run([lambda: sum(range(1_000))] * 3)
    header, row = (tmp_path / "demand.csv").read_text().splitlines()
    assert header == "demand_us,weight"
    assert int(row.split(",")[0]) > 0


def test_threads_join_as_a_request_climbs_and_leave_as_it_is_cut_off() -> None:
    clock, pool = Clock(), Pool()
    scheduling = Scheduling(open_policy(SETTINGS), clock, None)
    others = [scheduling.arrive(None, lambda: None) for _ in range(9)]
    running = scheduling.arrive(None, lambda: None)
    task = ParallelTask([lambda: 1] * 3, running, pool, Booster(), CoreBinding({}))  # type: ignore[arg-type]
    running.on_change = task.grow
    task.grow()
    assert (running.threads, len(pool.work)) == (1, 1)
    clock.now_ns = 25 * MS
    scheduling.wake()
    assert (running.threads, len(pool.work)) == (2, 2)
    running.is_cut_off = True
    for work in pool.work:
        work()
    assert task.wait()[0] == []
    assert len(others) == 9


def test_the_last_thread_stays_if_two_leave_at_once_as_a_request_descends() -> None:
    pool = Pool()

    class LeavesSlowly(Booster):
        def apply(self, is_boosted: bool) -> None:
            if not is_boosted and len(pool.work) == 1:
                pool.work.pop()()

    scheduling = Scheduling(open_policy(SETTINGS), Clock(), None)
    running = scheduling.arrive(None, lambda: None)
    task = ParallelTask([lambda: 1] * 9, running, pool, LeavesSlowly(), CoreBinding({}))  # type: ignore[arg-type]
    task.grow()
    assert (running.threads, len(pool.work)) == (4, 4)
    running.request.rung = 0
    assert running.threads == 1
    while pool.work:
        pool.work.pop()()
    assert task.wait()[0] == [1] * 9


def test_parts_that_cannot_be_read_raise_in_the_caller() -> None:
    def parts():
        yield lambda: 1
        raise KeyError("no such document")

    with Scheduler(open_policy(SETTINGS), 1) as scheduler:
        with pytest.raises(KeyError, match="no such document"):
            scheduler.run(parts())
        assert "tailc_in_system 0" in scheduler.metrics()


def test_a_boosted_thread_gets_its_own_niceness_back(monkeypatch: pytest.MonkeyPatch) -> None:
    niceness = [7]
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("os.getpriority", lambda *_: niceness[-1])
    monkeypatch.setattr("os.setpriority", lambda *arguments: niceness.append(arguments[-1]))
    booster = Booster()
    booster.apply(is_boosted=False)
    assert (booster.why_not, niceness[-1]) == (None, 7)
    for is_boosted, expected in ((True, -5), (True, -5), (False, 7)):
        booster.apply(is_boosted)
        assert niceness[-1] == expected


def test_a_changed_policy_is_followed_and_announced(tmp_path: Path) -> None:
    shutil.copy(VECTORS / "lucene.tailc", tmp_path / "policy.tailc")
    watched, announced = watch_policy(tmp_path / "policy.tailc"), []
    scheduling = Scheduling(watched, Clock(), announced.append)
    shutil.copy(SETTINGS, tmp_path / "policy.tailc")
    assert watched.check().change == "reloaded"
    scheduling.wake()
    assert announced == [watched.current]
    assert "tailc_reloads_total 1" in scheduling.metrics()


def test_a_waiting_request_that_another_policy_starts_may_leave(tmp_path: Path) -> None:
    shutil.copy(SETTINGS, tmp_path / "policy.tailc")
    watched = watch_policy(tmp_path / "policy.tailc")
    scheduling = Scheduling(watched, Clock(), None)
    last = [scheduling.arrive(None, lambda: None) for _ in range(14)][-1]
    assert not last.has_started
    shutil.copy(VECTORS / "smallest.tailc", tmp_path / "policy.tailc")
    assert watched.check().change == "reloaded"
    scheduling.exit(last)
    assert last.has_started
    assert scheduling.in_system == 13


def test_a_callback_that_raises_is_logged_and_the_policy_is_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: object) -> None:
        raise KeyError("no such gauge")

    shutil.copy(VECTORS / "lucene.tailc", tmp_path / "policy.tailc")
    watched = watch_policy(tmp_path / "policy.tailc")
    scheduling = Scheduling(watched, Clock(), fail)
    running = scheduling.arrive(None, lambda: None)
    shutil.copy(SETTINGS, tmp_path / "policy.tailc")
    watched.check()
    scheduling.exit(running)
    assert "no such gauge" in caplog.text
    assert "tailc_reloads_total 1" in scheduling.metrics()
    assert scheduling.in_system == 0


def test_a_log_on_a_full_disk_fails_no_request(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with DemandLog(tmp_path / "demand.csv", 1) as log:
        monkeypatch.setattr(log, "record", refuse)
        with Scheduler(open_policy(SETTINGS), 1, log=log) as scheduler:
            assert scheduler.run([lambda: 7]) == [7]
    assert "No space left on device" in caplog.text


def test_a_policy_that_no_schedule_can_apply_is_counted_and_not_used(tmp_path: Path) -> None:
    shutil.copy(VECTORS / "lucene.tailc", tmp_path / "policy.tailc")
    watched, announced = watch_policy(tmp_path / "policy.tailc"), []
    scheduling = Scheduling(watched, Clock(), announced.append)
    shutil.copy(VECTORS / "cores.tailc", tmp_path / "policy.tailc")
    watched.check()
    scheduling.wake()
    assert scheduling.arrive(None, lambda: None).threads == 1
    assert announced == []
    assert 'last_refusal="no-schedule"' in scheduling.metrics()


class VirtualSelector(selectors.DefaultSelector):
    """Does not wait: time jumps to what is due next."""

    loop_time_s = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if not ready and timeout:
            self.loop_time_s += timeout
        return ready


def run_virtually(main: Coroutine[Any, Any, T]) -> T:
    selector = VirtualSelector()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.loop_time_s  # type: ignore[method-assign]
    try:
        return loop.run_until_complete(main)
    finally:
        loop.close()


def test_in_an_event_loop_requests_wait_start_and_climb() -> None:
    async def serve() -> list[float]:
        loop = asyncio.get_running_loop()
        scheduler = AsyncScheduler(open_policy(SETTINGS))
        most: list[int] = []
        active = 0

        async def part() -> float:
            nonlocal active
            active += 1
            most.append(active)
            await asyncio.sleep(0.030)
            active -= 1
            return loop.time()

        async def hold() -> None:
            async with scheduler.admitted():
                await asyncio.sleep(1)

        holders = [asyncio.ensure_future(hold()) for _ in range(9)]
        await asyncio.sleep(0)
        # The tenth: one thread, a second one from 25 ms, a third one from 100 ms.
        found = await scheduler.run([part] * 5)
        assert max(most) == 2
        assert scheduler.why_no_boost
        assert 'tailc_lookups_total{rung="d2"}' in scheduler.metrics()
        for holder in holders:
            holder.cancel()
        await asyncio.gather(*holders, return_exceptions=True)
        assert "tailc_in_system 0" in scheduler.metrics()
        scheduler.close()
        return found

    found = run_virtually(serve())
    assert found == pytest.approx([0.030, 0.055, 0.060, 0.085, 0.090], abs=1e-6)


def test_in_an_event_loop_a_delay_is_kept() -> None:
    async def serve() -> float:
        scheduler = AsyncScheduler(open_policy(SETTINGS))
        holders = [scheduler.admitted() for _ in range(13)]
        for holder in holders:
            await holder.__aenter__()
        # The fourteenth in the system waits 10 ms.
        async with scheduler.admitted():
            waited_s = asyncio.get_running_loop().time()
        for holder in holders:
            await holder.__aexit__(None, None, None)
        scheduler.close()
        return waited_s

    assert run_virtually(serve()) == pytest.approx(0.010, abs=1e-6)


def test_in_an_event_loop_a_request_exits_after_the_parts_that_a_failure_cancels() -> None:
    async def serve() -> str:
        scheduler = AsyncScheduler(open_policy(SETTINGS))
        at_end: list[str] = []

        async def fail() -> None:
            await asyncio.sleep(0.001)
            raise KeyError("no such document")

        async def clean_up() -> None:
            try:
                await asyncio.sleep(1)
            finally:
                await asyncio.sleep(0.001)
                at_end.append(scheduler.metrics())

        with pytest.raises(KeyError):
            await scheduler.run([fail, clean_up])
        assert "tailc_in_system 0" in scheduler.metrics()
        return at_end[0]

    assert "tailc_in_system 1" in run_virtually(serve())


def test_a_failure_of_a_part_in_an_event_loop_is_raised() -> None:
    async def serve() -> None:
        async def fail() -> None:
            raise KeyError("no such document")

        await AsyncScheduler(open_policy(SETTINGS)).run([fail])

    with pytest.raises(KeyError):
        run_virtually(serve())


def test_a_request_runs_on_the_processor_of_its_core_and_moves_at_a_climb() -> None:
    """Begins beside batch work, and has the only core to itself 47 ms later."""
    processor = min(os.sched_getaffinity(0))
    policy = open_policy(VECTORS / "cores-lanes.tailc")
    with Scheduler(policy, 1, processors={"core": [processor] * 7}) as scheduler:
        with scheduler.admitted() as running:
            seen = scheduler.run_parts(running, [lambda: os.sched_getaffinity(0)])
            assert seen == [{processor}]
            assert running.request.core == 0
        scheduler.run([lambda: None])


def test_a_request_ends_although_its_processor_has_gone_offline(monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    processor = min(os.sched_getaffinity(0))
    policy = open_policy(VECTORS / "cores-lanes.tailc")
    with Scheduler(policy, 1, processors={"core": [processor] * 7}) as scheduler:
        monkeypatch.setattr(os, "sched_setaffinity", refuse)
        running = threading.Thread(target=scheduler.run, args=([lambda: None],), daemon=True)
        running.start()
        running.join(10)
        assert not running.is_alive()


@pytest.mark.parametrize(
    ("policy", "processors", "why"),
    [
        ("cores-lanes", {}, "needs a server that places requests"),
        ("cores-lanes", {"core": [0, 0]}, "needs 7 processors of core type `core`"),
        ("settings", {"core": [0]}, "not cores"),
        ("cores", {"": [0] * 7}, "rung `slow` has no core type"),
        ("cores-lanes", {"core": [4_095]}, "no thread can be bound to processor 4095"),
    ],
)
def test_processors_that_do_not_fit_the_policy_are_refused(policy, processors, why) -> None:
    with pytest.raises(ScheduleError, match=why):
        Scheduler(open_policy(VECTORS / f"{policy}.tailc"), 1, processors=processors)
