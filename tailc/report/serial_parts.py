"""Format the serial beginning and end of a policy's requests, which run on a single thread."""

from __future__ import annotations

from tailc.percentiles import PPM
from tailc.traces.reading import RequestReading, TraceReading
from tailc.units import format_us


def serial_text(reading: TraceReading) -> str | None:
    """Format the serial parts, such as `start 2 ms, end 5 %`; None if requests have none."""
    serial = reading.serial if isinstance(reading, RequestReading) else None
    if serial is None:
        return None
    parts = {
        "start": _part(serial.start_us, serial.start_ppm),
        "end": _part(serial.end_us, serial.end_ppm),
    }
    return ", ".join(f"{name} {part}" for name, part in parts.items() if part)


def _part(time_us: int, share_ppm: int) -> str:
    time = [format_us(time_us)] if time_us else []
    share = [f"{100 * share_ppm / PPM:g} %"] if share_ppm else []
    return " and ".join(time + share)
