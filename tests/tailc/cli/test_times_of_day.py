"""A column of times of day, offered as lengths of time, is doubted by every command alike."""

import pytest

from tests.tailc.toy import with_lines, write_toy

TIMES = [f"{hour:02}:{minute:02}:05.123" for hour in range(9, 15) for minute in range(10)]


def trace_of(times):
    rows = "".join(f"{at};{time}\n" for at, time in enumerate(times))
    return f"request;demand_ms\n{rows}"


COMMANDS = {
    "lint-trace": ("toy.csv", "--column", "demand_ms"),
    "ingest": ("toy.csv", "--column", "demand_ms", "--measure", "demand-busy", "-o", "x.profile"),
    "check": ("--with-trace", "toy.yaml"),
    "compile": ("toy.yaml", "--allow-misses", "-o", "toy"),
    "split": ("toy.yaml", "-o", "part"),
    "init": (
        *("toy.csv", "--column", "demand_ms", "--measure", "demand-busy", "--cores", "6"),
        *("--slo", "p90 <= 200ms", "--speedup", "1,1.5", "--reference", "a core"),
    ),
}


@pytest.mark.parametrize(
    "times",
    [
        TIMES,
        [time.replace(".", ",") for time in TIMES],
        [time[:8] for time in TIMES],
        [f"0 days {time}" for time in TIMES],
    ],
    ids=["points", "commas", "seconds", "days"],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_times_of_day_are_doubted(in_folder, tailc, times, command):
    spec = with_lines(
        ("  reference", "  held_out: {fraction: 50%, by: seed}\n  reference"), ("50ms", "9h")
    )
    write_toy(in_folder, spec, trace_of(times))
    ended = tailc(command, *COMMANDS[command])
    assert "warning[TC0251]: 60 of 60 demands are above 10 min" in ended.err + ended.out
    assert "times of day" in ended.err + ended.out
