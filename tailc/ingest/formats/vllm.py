"""Read the output of `vllm bench serve --save-result --save-detailed`: an item per request.

`sglang.bench_serving --output-details` writes the same lists, without `queue_times`. A request
takes the time to its first token (`ttfts`), and those between its tokens (`itls`), in seconds;
newer versions also write their sum (`latencies`). With a `request_rate` requests are sent at a
rate. `max_concurrency` delays requests beyond it, by their `queue_times`; without a rate it makes a
closed loop. With neither, all requests are sent at once, and mostly wait.
"""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailc.errors import Code, TailcError
from tailc.ingest.format import Format
from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.options import InputOptions
from tailc.ingest.rows import of_successes
from tailc.ingest.texts import report
from tailc.traces.cells import Cells
from tailc.traces.counted_times import Grain
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source

_NAME = "vLLM benchmark"
_OF_SGLANG = "SGLang benchmark"
_TIME = "latency"
# A result with the texts of 10,000 requests has about 50 MB.
_MAX_BYTES = 100_000_000


def read(source: Source, options: InputOptions, name: str = _NAME) -> InputTimes:
    """Read the latencies of the successful requests from the output of a benchmark of vLLM."""
    try:
        document = json.loads(report(source, _MAX_BYTES))
        times_s, loop = _times_s(document), _loop(document)
        succeeded = _without_error(document, times_s)
    except RecursionError:
        raise _format_error(source, name, "it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise _not_one(source, name, error) from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise _format_error(source, name, str(error)) from None
    if loop is None:
        raise _at_once(source)
    column = pa.chunked_array([times_s])
    cells = Cells(source.name, {_TIME: column}, len(times_s), None)
    histogram, added, left_out = of_successes(
        cells, _TIME, TimeUnit.S, succeeded, options.interval_ns
    )
    return InputTimes(
        name,
        _TIME,
        TimeUnit.S,
        Grain.REQUESTS,
        loop,
        histogram,
        left_out=left_out,
        estimated=added,
    )


def _times_s(document: dict[str, Any]) -> NDArray[np.float64]:
    """From when each request should have been sent, if the file has that, to its last token."""
    if "latencies" in document:
        times_s = np.array([math.fsum((one,)) for one in document["latencies"]], np.float64)
    else:
        pairs = zip(document["ttfts"], document["itls"], strict=True)
        times_s = np.array([math.fsum((first, *rest)) for first, rest in pairs], np.float64)
    if "queue_times" in document and _rate(document) is not None:
        waited = zip(times_s, document["queue_times"], strict=True)
        times_s = np.array([time and time + wait for time, wait in waited], np.float64)
    return times_s


def _without_error(document: dict[str, Any], times_s: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which requests have no error; one that failed may have no tokens, and so no time."""
    pairs = zip(document["errors"], times_s, strict=True)
    return np.array([error in ("", None) and time != 0 for error, time in pairs], np.bool_)


def _rate(document: dict[str, Any]) -> float | None:
    """Requests a second; None if they were sent as fast as possible."""
    rate = float(document["request_rate"])
    return rate if math.isfinite(rate) else None


def _loop(document: dict[str, Any]) -> Loop | None:
    """How the requests were sent; None if all were sent at once."""
    is_limited = document.get("max_concurrency") is not None
    if _rate(document) is None:
        return Loop.CLOSED if is_limited else None
    return Loop.UNSTATED if is_limited and "queue_times" not in document else Loop.OPEN


def _at_once(source: Source) -> TailcError:
    message = f"all requests of `{source.name}` were sent at once, so they mostly waited"
    hint = "measure at a rate, by `--request-rate RATE` of the benchmark"
    return source.fault(Code.CLOSED_LOOP, message, advice=hint)


def _not_one(source: Source, name: str, error: json.JSONDecodeError) -> TailcError:
    if error.msg != "Extra data":
        return _format_error(source, name, str(error))
    message = f"`{source.name}` has the results of several runs, which the {name} appended"
    hint = "write each line to a separate file, and give the files of runs that belong together"
    return source.fault(Code.BROKEN_FORMAT, message, line=error.lineno, advice=hint)


def _format_error(source: Source, name: str, why: str) -> TailcError:
    message = f"`{source.name}` is an incomplete result of a {name} ({why})"
    return source.fault(Code.BROKEN_FORMAT, message, advice="keep what was written as it is")


def _matches(head: bytes) -> bool:
    names = (b'"num_prompts"', b'"request_rate"', b'"request_throughput"')
    return head.lstrip().startswith(b"{") and all(name in head for name in names)


def _is_of_sglang(head: bytes) -> bool:
    names = (b'"sharegpt_output_len"', b'"request_rate"', b'"ttfts"')
    return head.lstrip().startswith(b"{") and all(name in head for name in names)


FORMATS = (
    Format(_NAME, _matches, read),
    Format(_OF_SGLANG, _is_of_sglang, partial(read, name=_OF_SGLANG)),
)
