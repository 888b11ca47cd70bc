"""Generate a log of jobs and the sun on a roof; see README.md for what they are shaped after.

    python examples/green-sla/generate.py

Nothing here was measured. Jobs come more often by day and on working days; widths are powers of
two, and run times lognormal. The roof brings its peak times the sine of the sun's height times what
clouds let through, which goes up and down for hours; a weather service foretells them with errors.
"""

from __future__ import annotations

import argparse
import gzip
import math
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from tailc.traces.jobs.log import JobLog, LogHeader
from tailc.traces.jobs.swf_written import swf_text

SEED = 2016
# 28 days from a Monday on; all times are at UTC-7, and nobody changes a clock.
FIRST_UNIX_S = int(datetime(2026, 6, 1, 7, tzinfo=UTC).timestamp())
ZONE = "-07:00"
DAYS, DAY_S, HOUR_S, QUARTER_S = 28, 86_400, 3_600, 900

JOBS_A_WORKING_DAY, JOBS_A_FREE_DAY = 95.0, 40.0
BUSIEST_HOUR, NIGHT_SHARE = 14, 0.25
WIDTHS, WIDTH_WEIGHTS = (1, 2, 4, 8, 16, 32, 64), (14, 18, 22, 20, 14, 9, 3)
MEDIAN_RUN_S, RUN_SPREAD, LONGEST_RUN_S = 5_400, 1.2, 60 * 3_600
SERVERS = 320

# About three quarters of what all servers draw. A sun as at 40 degrees north at midsummer.
PEAK_KW, LATITUDE_DEG, DECLINATION_DEG = 33.6, 40.0, 23.0
# Clouds in an hour: the mean, what is left of a difference from it, and new differences.
CLOUD_MEAN, CLOUD_STAYS, CLOUD_STEP = 0.25, 0.93, 0.11
FORECAST_ERROR = 0.12


def main() -> None:
    """Write jobs.swf.gz and roof.csv beside this script, or where --output says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent)
    folder = parser.parse_args().output
    drawn = np.random.default_rng(SEED)
    log = jobs(drawn)
    text = swf_text(log, "a campus cluster that does not exist").encode()
    (folder / "jobs.swf.gz").write_bytes(gzip.compress(text, mtime=0))
    (folder / "roof.csv").write_text(roof(drawn), encoding="utf-8")
    print(f"{log.jobs} jobs and {DAYS} days of sun")


def jobs(drawn: np.random.Generator) -> JobLog:
    """Of each hour a Poisson number."""
    rate = [_jobs_an_hour(hour) for hour in range(24 * DAYS)]
    count = drawn.poisson(rate)
    total = int(count.sum())
    hour_s = np.repeat(HOUR_S * np.arange(len(count)), count)
    run_s = MEDIAN_RUN_S * np.exp(RUN_SPREAD * drawn.standard_normal(total))
    weights = np.array(WIDTH_WEIGHTS) / sum(WIDTH_WEIGHTS)
    return JobLog(
        number=np.arange(1, total + 1),
        submit_s=np.sort(hour_s + drawn.integers(0, HOUR_S, total)),
        run_s=np.clip(np.rint(run_s), 60, LONGEST_RUN_S).astype(np.int64),
        width=drawn.choice(WIDTHS, total, p=weights).astype(np.int64),
        requested_s=np.zeros(total, np.int64),
        source="generated",
        header=LogHeader(FIRST_UNIX_S, ZONE, SERVERS),
    )


def roof(drawn: np.random.Generator) -> str:
    """A row each quarter of an hour: power, and the cloud cover that was foretold for its hour."""
    cover = _clouds(drawn)
    foretold = np.clip(cover + FORECAST_ERROR * drawn.standard_normal(len(cover)), 0, 1)
    lines = ["time,kw,clouds"]
    for step in range(DAYS * DAY_S // QUARTER_S):
        hour = step * QUARTER_S // HOUR_S
        middle_h = (step * QUARTER_S % DAY_S + QUARTER_S / 2) / HOUR_S
        kw = PEAK_KW * _sun_height(middle_h) * (1 - cover[hour])
        minute = step * QUARTER_S // 60 % 60
        time = f"2026-06-{1 + hour // 24:02}T{hour % 24:02}:{minute:02}{ZONE}"
        lines.append(f"{time},{kw:.3f},{foretold[hour]:.2f}")
    return "\n".join(lines) + "\n"


def _jobs_an_hour(hour: int) -> float:
    day, of_day = divmod(hour, 24)
    a_day = JOBS_A_WORKING_DAY if day % 7 < 5 else JOBS_A_FREE_DAY
    swing = 1 + (1 - NIGHT_SHARE) * math.cos((of_day - BUSIEST_HOUR) / 24 * 2 * math.pi)
    return a_day / 24 * swing


def _clouds(drawn: np.random.Generator) -> np.ndarray:
    """Of each hour: what is left of the hour before, and something new."""
    cover, off = [], 0.0
    for change in drawn.standard_normal(24 * DAYS):
        off = CLOUD_STAYS * off + CLOUD_STEP * change
        cover.append(min(max(CLOUD_MEAN + off, 0.0), 1.0))
    return np.array(cover)


def _sun_height(hour: float) -> float:
    """The sine of the sun's height over its most on that day; 0 at night."""
    latitude, declination = math.radians(LATITUDE_DEG), math.radians(DECLINATION_DEG)
    turn = math.radians(15 * (hour - 12))
    up = math.sin(latitude) * math.sin(declination)
    around = math.cos(latitude) * math.cos(declination)
    return max(up + around * math.cos(turn), 0.0) / (up + around)


if __name__ == "__main__":
    main()
