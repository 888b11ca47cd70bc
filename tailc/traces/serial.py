"""The serial beginning and end of a request, in which it uses one thread at any degree."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.percentiles import PPM


@dataclass(frozen=True)
class Serial:
    """Length of a request's serial beginning and end, in which it uses one thread.

    A length is a time in microseconds plus a share of the request's demand in millionths.
    """

    start_us: int
    start_ppm: int
    end_us: int
    end_ppm: int

    def __post_init__(self) -> None:
        if min(self.start_us, self.start_ppm, self.end_us, self.end_ppm) < 0:
            raise ValueError("serial parts of a request must not be negative")
        if not any((self.start_us, self.start_ppm, self.end_us, self.end_ppm)):
            raise ValueError("the serial parts of a request must have a beginning or an end")
        if self.start_ppm + self.end_ppm > PPM:
            raise ValueError("the serial parts of a request must not be longer than the request")
