"""Tasks on a Dask cluster: the same results, whatever happens to its workers."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest
from distributed import Client, LocalCluster, get_worker

from tailc.errors import Code, TailcError
from tailc.tasks import cluster as clusters
from tailc.tasks.cluster import DaskCluster, connected
from tailc.tasks.engine import LostTask

NUMBERS = list(range(8))
SQUARES = [number * number for number in NUMBERS]


def square(number: int) -> int:
    return number * number


def square_after_a_death(marker: Path, number: int) -> int:
    """The square; the worker of the fifth number dies, once."""
    if number == 5 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def square_of_second_worker_is_wrong(number: int) -> int:
    return number * number + (get_worker().name == 1)


def printed(number: int) -> str:
    """What a task prints, while others of its process print too."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        for _ in range(20):
            print(number, end=" ")
            time.sleep(0.001)
    return output.getvalue()


def fail(number: int) -> int:
    raise ValueError(f"{number} is refused")


def ignored(number: int, _result: object) -> None:
    assert number >= 0


@pytest.fixture(scope="module")
def client():
    """Two workers in threads of this process."""
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as local,
        Client(local) as client,
    ):
        yield client


def test_results_are_in_the_order_of_the_tasks(client):
    ended: dict[int, object] = {}
    assert DaskCluster(client).run_all(square, NUMBERS, ended.__setitem__) == SQUARES
    assert ended == dict(enumerate(SQUARES))


def test_tasks_of_one_process_have_its_streams_alone():
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=4, processes=False, dashboard_address=":0"
        ) as local,
        Client(local) as threads,
    ):
        engine = DaskCluster(threads)
        assert engine.slots == 1
        assert engine.run_all(printed, NUMBERS, ignored) == [f"{one} " * 20 for one in NUMBERS]


def test_an_exception_of_a_task_is_raised_here(client):
    with pytest.raises(ValueError, match="0 is refused"):
        DaskCluster(client).run_all(fail, [0], ignored)


def test_results_of_a_worker_with_other_code_are_discarded(client, monkeypatch):
    own = clusters.code_digest()

    def digest() -> str:
        try:
            return "other" if get_worker().name == 1 else own
        except ValueError:
            return own

    monkeypatch.setattr(clusters, "code_digest", digest)
    engine = DaskCluster(client)
    assert engine.run_all(square, NUMBERS, ignored) == SQUARES
    (warning,) = engine.warnings
    assert warning.code is Code.OTHER_CODE
    assert engine.slots == 1


def test_workers_that_all_run_other_code_are_an_error(client, monkeypatch):
    answers = iter(range(1_000))
    monkeypatch.setattr(clusters, "code_digest", lambda: str(next(answers)))
    with pytest.raises(TailcError) as refused:
        DaskCluster(client).run_all(square, NUMBERS, ignored)
    assert {one.code for one in refused.value.findings} == {Code.OTHER_CODE}


def test_a_worker_that_computes_wrongly_is_found(client):
    with pytest.raises(TailcError) as refused:
        DaskCluster(client).run_all(square_of_second_worker_is_wrong, [3], ignored)
    (finding,) = refused.value.findings
    assert finding.code is Code.RESULTS_DIFFER


def test_a_task_whose_worker_dies_runs_on_another_one(tmp_path):
    with connected("local:2") as engine:
        assert engine.slots == 2
        work = partial(square_after_a_death, tmp_path / "marker")
        assert engine.run_all(work, NUMBERS, ignored) == SQUARES
    assert (tmp_path / "marker").exists()


def test_a_scheduler_that_ends_is_an_error_that_says_so():
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as local,
        Client(local) as client,
        pytest.raises(TailcError, match="connection to the scheduler") as lost,
    ):
        DaskCluster(client).run_all(square, NUMBERS, lambda *_: local.close())
    assert lost.value.findings[0].code is Code.LOST_TASK


def test_a_task_that_always_kills_its_worker_is_lost(client, monkeypatch):
    class Killed:
        def result(self):
            raise clusters.KilledWorker("task", None, 3)

    assert DaskCluster(client).result_of(Killed()) == LostTask()


@pytest.mark.parametrize("words", ["local:", "local:0", "local:-1", "local:x", "local:1001"])
def test_a_number_of_workers_that_is_none_is_a_mistake(words):
    with pytest.raises(TailcError) as refused, connected(words):
        pass
    assert refused.value.findings[0].code is Code.USAGE


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://", "absent.json"])
def test_a_scheduler_that_does_not_answer_is_an_error(address, monkeypatch):
    monkeypatch.setattr(clusters, "_CONNECT_S", 0.2)
    with pytest.raises(TailcError) as refused, connected(address):
        pass
    assert refused.value.findings[0].code is Code.CANNOT_READ


@pytest.mark.parametrize("content", ["[]", "{}", '{"address": 1}'])
def test_a_file_of_no_scheduler_is_an_error_that_says_so(tmp_path, content):
    path = tmp_path / "scheduler.json"
    path.write_text(content)
    with pytest.raises(TailcError, match="without the `address`"), connected(str(path)):
        pass
