from pathlib import Path

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.rate_steps import read_rate_steps


def write(folder: Path, *rows):
    path = folder / "day.csv"
    path.write_text("".join(f"{row}\n" for row in ("duration,rate", *rows)))
    return str(path)


def test_steps_are_durations_at_rates(tmp_path):
    path = write(tmp_path, "10min,40/s", "30 s, 0/s", "0.5h,90/min")
    assert read_rate_steps(path) == ((600_000_000, 40_000), (30_000_000, 0), (1_800_000_000, 1_500))


def test_every_faulty_cell_is_placed(tmp_path):
    path = write(tmp_path, "10,40/s", "0min,40/s", "5min,fast")
    with pytest.raises(TailcError) as refused:
        read_rate_steps(path)
    found = [(f.code, f.place.row, f.place.field, f.message) for f in refused.value.findings]
    assert found == [
        (Code.BAD_RATES, 1, "duration", "`10` has no unit"),
        (Code.BAD_RATES, 2, "duration", "`0min` must be more than zero"),
        (Code.BAD_RATES, 3, "rate", "`fast` is not a rate"),
    ]
    assert all(finding.help for finding in refused.value.findings)


def test_a_profile_without_rates_is_refused(tmp_path):
    path = tmp_path / "day.csv"
    path.write_text("duration,rps\n1min,4\n")
    with pytest.raises(TailcError) as refused:
        read_rate_steps(str(path))
    assert refused.value.findings[0].code is Code.MISSING_COLUMN
