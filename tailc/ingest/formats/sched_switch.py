"""Read switches of threads: text of `perf script`, `trace-cmd report` or ftrace with sched_switch.

A request is what a thread executes from the time at which it is given a processor after a sleep to
the time at which it sleeps again or ends; its demand is its time on processors in between. So the
threads must handle one request after each wake-up, as those of a pool do, and not wait inside a
request. Time before the first sleep of a thread is left out, because its beginning is not recorded.

Source: Linux, `include/trace/events/sched.h`, and the output plugin of libtraceevent for the event.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tailc.errors import Code, Finding, Place, Severity, did_you_mean
from tailc.ingest.estimate import histogram_with_missing
from tailc.ingest.format import Format
from tailc.ingest.input_times import InputTimes
from tailc.ingest.options import InputOptions
from tailc.traces.counted_times import Grain
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source

_NAME = "switches of threads"
_EVENT = b"sched_switch:"
_MOST_LINE_BYTES = 1 << 12
_NAMED = 8
_NS_DIGITS = 9
# The time at the end of what is before the name of the event; `sched:` is of perf.
_TIME = re.compile(rb"([0-9]{1,12})\.([0-9]{6,9}):[ \t]{1,40}(?:sched:)?$")
_FIELDS = re.compile(
    rb"prev_comm=.{0,15} prev_pid=([0-9]{1,10}) prev_prio=[0-9-]{1,11} prev_state=([^ ]{1,10}) ==> "
    rb"next_comm=(.{0,15}) next_pid=([0-9]{1,10}) "
)
_SHORT = re.compile(
    rb".{0,15}:([0-9]{1,10}) \[[0-9-]{1,11}\] ([^ ]{1,10}) ==> (.{0,15}):([0-9]{1,10}) \["
)
_IDLE = 0


@dataclass(frozen=True)
class Switch:
    """A processor changes from one thread to another at a time [ns]."""

    at_ns: int
    previous: int
    is_runnable: bool
    next: int
    next_name: str


@dataclass
class _Thread:
    """A thread on its way through the events; a request begins at its first known wake-up."""

    name: str = ""
    on_since_ns: int | None = None
    spent_ns: int = 0
    has_slept: bool = False


def switches(source: Source) -> Iterator[Switch]:
    """The switches in a file, in its order; other lines are left out."""
    for number, line in enumerate(source.lines(_MOST_LINE_BYTES), 1):
        head, event, text = line.partition(_EVENT)
        if not event:
            continue
        time, fields = _TIME.search(head[-80:]), _fields(text.strip())
        if time is None or fields is None:
            message = f"line {number} is no event of sched_switch that can be read"
            hint = "give the unchanged output of `perf script` or `trace-cmd report`"
            raise source.fault(Code.BROKEN_FORMAT, message, line=number, advice=hint)
        nanoseconds = int(time[2].ljust(_NS_DIGITS, b"0"))
        previous, state, name, following = fields.groups()
        yield Switch(
            int(time[1]) * 10**_NS_DIGITS + nanoseconds,
            int(previous),
            state.startswith(b"R"),
            int(following),
            name.decode("utf-8", "replace"),
        )


def _fields(text: bytes) -> re.Match[bytes] | None:
    return _FIELDS.match(text) or _SHORT.match(text)


def executions(events: Iterator[Switch]) -> dict[str, list[int]]:
    """Time on processors of each request [ns], by the name of its thread."""
    threads: dict[int, _Thread] = defaultdict(_Thread)
    found: dict[str, list[int]] = defaultdict(list)
    for event in events:
        _leave(threads[event.previous], event, found)
        if event.next != _IDLE:
            thread = threads[event.next]
            thread.name, thread.on_since_ns = event.next_name, event.at_ns
    return found


def _leave(thread: _Thread, event: Switch, found: dict[str, list[int]]) -> None:
    """Count what a thread executed until it leaves a processor."""
    if thread.on_since_ns is not None:
        thread.spent_ns += max(event.at_ns - thread.on_since_ns, 0)
        thread.on_since_ns = None
    if event.is_runnable:
        return
    if thread.has_slept and thread.spent_ns:
        found[thread.name].append(thread.spent_ns)
    thread.has_slept, thread.spent_ns = True, 0


def read(source: Source, options: InputOptions) -> InputTimes:
    """Read the demands of the requests that the threads named by `--service` executed."""
    if options.spans.attribute is not None or options.spans.with_internal:
        message = f"`{source.name}` has {_NAME}, and no spans"
        raise source.fault(Code.USAGE, message, advice="remove `--attribute` and `--with-internal`")
    source.check_whole()
    found = executions(switches(source))
    names = _names(source, found, options.spans.services)
    times_ns = np.array([time for name in names for time in found[name]], np.float64)
    histogram, added = histogram_with_missing(times_ns, options.interval_ns)
    return InputTimes(
        f"{_NAME} by the kernel",
        f"time on processors between two sleeps of {' and '.join(f'`{name}`' for name in names)}",
        TimeUnit.US,
        Grain.REQUESTS,
        None,
        histogram,
        estimated=added,
        warnings=_lost_events(source),
    )


def _names(source: Source, found: dict[str, list[int]], services: tuple[str, ...]) -> list[str]:
    """The names of threads to count: those of the option, or the only one."""
    counts = Counter({name: len(times) for name, times in found.items()})
    if not counts:
        message = f"`{source.name}` has no thread that wakes and sleeps again"
        hint = "record for longer, while the server has requests"
        raise source.fault(Code.EMPTY_TRACE, message, advice=hint)
    unknown = [name for name in services if name not in counts]
    if unknown:
        message = f"`{source.name}` has no thread with the name `{unknown[0]}`"
        hint = did_you_mean(unknown[0], sorted(counts), _NAMED)
        raise source.fault(Code.SEVERAL_SERVICES, message, advice=hint)
    if len(counts) > 1 and not services:
        listing = ", ".join(f"`{name}` ({count:,})" for name, count in counts.most_common(_NAMED))
        message = f"`{source.name}` has threads of {len(counts):,} names: {listing}"
        hint = "choose those that handle requests: `--service NAME`, which may be repeated"
        raise source.fault(Code.SEVERAL_SERVICES, message, advice=hint)
    return sorted(services or counts)


def _lost_events(source: Source) -> tuple[Finding, ...]:
    """Warn of events that the kernel lost, as perf and ftrace write it."""
    lines = source.lines(_MOST_LINE_BYTES)
    if not any(b"LOST" in line and b"EVENTS" in line for line in lines):
        return ()
    message = "the kernel lost events, so that some times are wrong"
    hint = "record with larger buffers (`-m`), or for fewer processors"
    place = Place(source.name)
    return (Finding(Code.SPANS_LEFT_OUT, message, place, hint, severity=Severity.WARNING),)


def _matches(head: bytes) -> bool:
    return any(
        _TIME.search(before[-80:]) is not None and _fields(text.strip()) is not None
        for before, event, text in (line.partition(_EVENT) for line in head.splitlines())
        if event
    )


FORMATS = (Format(_NAME, _matches, read, has_spans=True),)
