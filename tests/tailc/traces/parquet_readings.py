"""How a file that `written_profile` made says it is to be read."""

from tailc.traces.parquet_profile import reading_stated_in
from tailc.traces.reading import DemandReading
from tailc.traces.source import open_source


def reading_of(path: str) -> DemandReading | None:
    """As `reading_stated_in` of the file."""
    with open_source(path) as opened:
        return reading_stated_in(opened)
