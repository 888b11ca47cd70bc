"""Tables of which rows are executions of the same requests, and tables that only look alike."""

import numpy as np
import pytest

from tailc.lint.executions import ExecutionColumns, execution_columns
from tailc.lint.sampled_columns import SampledColumns, sampled_columns
from tailc.traces.source import open_source

REQUESTS = 60
RNG = np.random.default_rng(4)
DEMAND = RNG.lognormal(2, 1, REQUESTS)


def sampled(folder, header: str, rows) -> SampledColumns | None:
    (folder / "t.csv").write_text("\n".join([header, *rows, ""]))
    with open_source(str(folder / "t.csv")) as source:
        return sampled_columns(source, "took")


def columns_in(folder, header: str, rows) -> ExecutionColumns | None:
    sample = sampled(folder, header, list(rows))
    return sample and execution_columns(sample)


def executed(degrees, speedup=lambda degree: degree**0.5):
    """A row for each request and degree, in this order."""
    for at, demand in enumerate(DEMAND):
        for degree in degrees:
            yield at, degree, demand / speedup(degree)


@pytest.mark.parametrize(
    "names",
    ["Job #,Worker Count", "task_id,workers", "item,numThreads", "id,degree of parallelism"],
)
def test_names_tell_the_columns_of_executions(tmp_path, names):
    rows = (f"{at},{degree},{time}" for at, degree, time in executed((1, 2)))
    request, degree = names.split(",")
    assert columns_in(tmp_path, f"{names},took", rows) == ExecutionColumns(request, degree, True)


@pytest.mark.parametrize("degrees", [(1, 2), (1, 2, 4, 8), (2, 3)])
def test_the_cells_tell_the_columns_of_executions(tmp_path, degrees):
    rows = (f"x{at},{degree},{time}" for at, degree, time in executed(degrees))
    assert columns_in(tmp_path, "blob,lanes,took", rows) == ExecutionColumns("blob", "lanes", False)


def test_times_that_do_not_fall_are_of_no_degree(tmp_path):
    """Times of 40 jobs in a week depend on the job, and on nothing else."""
    noise = RNG.normal(1, 0.02, len(DEMAND) * 7)
    times = executed(range(1, 8), lambda _: 1)
    rows = [f"x{at},{day},{time * one}" for (at, day, time), one in zip(times, noise, strict=True)]
    assert columns_in(tmp_path, "blob,lanes,took", rows) is None
    assert columns_in(tmp_path, "item,cores,took", rows) is None


def test_the_order_of_rows_and_repetitions_do_not_matter(tmp_path):
    rows = [
        f"{at},{each},{degree},{time}" for at, degree, time in executed((1, 2)) for each in (1, 2)
    ]
    RNG.shuffle(rows)
    assert columns_in(tmp_path, "blob,run,lanes,took", rows) == ExecutionColumns(
        "blob", "lanes", False
    )


def test_most_of_the_pairs_of_request_and_degree_are_enough(tmp_path):
    rows = [f"x{at},{degree},{time}" for at, degree, time in executed((1, 2, 3))]
    assert columns_in(tmp_path, "blob,lanes,took", np.delete(rows, np.s_[::9])) is not None


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([f"{at},{at % 3 + 1},{x}" for at, x in enumerate(DEMAND)], id="own id each"),
        pytest.param(
            [f"k{at % 4},{RNG.integers(1, 4)},{x}" for at, x in enumerate(DEMAND)], id="class"
        ),
        pytest.param([f"{at // 5},{at % 5 + 1},{x}" for at, x in enumerate(DEMAND)], id="steps"),
        pytest.param(
            [f"{at // 2},{at % 2 * 99 + 1},{x}" for at, x in enumerate(DEMAND)], id="large"
        ),
        pytest.param([f"{at // 2},one,{x}" for at, x in enumerate(DEMAND)], id="texts"),
    ],
)
def test_rows_of_requests_are_no_executions(tmp_path, rows):
    assert columns_in(tmp_path, "user,step,took", rows) is None


def test_repetitions_on_one_thread_are_requests(tmp_path):
    rows = (f"{at},{each},{x}" for at, x in enumerate(DEMAND) for each in (1, 2, 3))
    assert columns_in(tmp_path, "query_id,repetition,took", rows) is None


def test_a_table_of_two_columns_has_no_executions(tmp_path):
    assert sampled(tmp_path, "id,took", ["1,2", "1,3"]) is None


def test_unreadable_other_columns_are_no_finding(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,b,took\n\xff,1,2\n\xff,2,3\n")
    with open_source(str(tmp_path / "t.csv")) as source:
        assert sampled_columns(source, "took") is None
