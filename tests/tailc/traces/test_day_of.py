"""Days of rows, from dates, times and names."""

import pytest

from tailc.errors import TailcError
from tailc.traces.day_of import read_days


def written(folder, cells: list[str]) -> str:
    path = folder / "trace.csv"
    lines = [f"{number},{cell}" for number, cell in enumerate(cells)]
    path.write_text("\n".join(["ms,when", *lines]) + "\n")
    return str(path)


@pytest.mark.parametrize(
    ("cells", "names", "numbers"),
    [
        (
            ["2024-03-02 23:59", "2024-03-01", "2024-03-02T00:00:01Z"],
            ["2024-03-01", "2024-03-02"],
            [1, 0, 1],
        ),
        (["tue", "mon", "tue"], ["mon", "tue"], [1, 0, 1]),
        (["2", "1", "2"], ["1", "2"], [1, 0, 1]),
    ],
)
def test_a_time_is_of_its_date_and_anything_else_a_day(tmp_path, cells, names, numbers):
    found = read_days(written(tmp_path, cells), "when")
    assert list(found.names) == names
    assert found.of_row.tolist() == numbers


def test_rows_that_are_not_kept_have_no_day(tmp_path):
    found = read_days(written(tmp_path, ["mon", "tue", "mon"]), "when", (("ms", "2"),))
    assert found.names == ("mon",)
    assert found.of_row.tolist() == [0]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["mon", ""], "cell is missing or empty"),
        ([f"{number}.5" for number in range(500)], "` has 500 different days; the limit is 400"),
    ],
)
def test_what_is_no_column_of_days_is_refused(tmp_path, cells, said):
    with pytest.raises(TailcError, match=said):
        read_days(written(tmp_path, cells), "when")
