"""Small series, by hand and by seed, and the files that they are read from."""

import numpy as np

from tailc.traces.series.series import SeriesQuantity, of_values

# 2012-06-30 07:00 UTC, midnight in Denver by the sun.
MIDNIGHT = 1_341_039_600
HOUR = 3_600


def series_of(*values, quantity=SeriesQuantity.POWER, step_s=HOUR, start_unix_s=MIDNIGHT):
    """A series of values; NaN is one that is not known."""
    return of_values(quantity, start_unix_s, step_s, np.array(values, dtype=float), "made")


def written(folder, *rows, head="time,value", name="series.csv"):
    """A CSV file of the rows."""
    path = folder / name
    path.write_text("\n".join([head, *rows]) + "\n")
    return str(path)


def hourly(*values, day="2012-06-30", zone="Z", first=0):
    """Rows of values, an hour apart."""
    return [f"{day}T{first + hour:02d}:00{zone},{value}" for hour, value in enumerate(values)]
