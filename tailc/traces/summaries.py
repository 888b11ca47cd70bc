"""Recognise summaries that load generators write to files: statistics instead of requests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

AT_A_RATE = (
    "{} writes no requests, and sends as answers come: measure at a rate with a generator that "
    "writes every request, such as `oha -q RATE --output-format csv`"
)
NO_REQUESTS = (
    "{} writes no requests: measure with a generator that does, such as "
    "`oha -q RATE --output-format csv`"
)
K6_ROWS = "write each request with `k6 run --out csv=FILE`, and give that file"
FORTIO_LOG = (
    "have fortio write every request by `-access-log-file FILE -access-log-format json`, and "
    "give that with the column of its times"
)
JMETER_LOG = "have JMeter write every sample by `jmeter -n -t PLAN -l FILE.jtl`, and give that"
VEGETA_ROWS = "give the requests themselves: `vegeta encode --to csv results.bin > run.csv`"
# Of the statistics, also by time, of their distribution, and of older versions without percentiles.
_LOCUST = re.compile(
    rb'(?:\xef\xbb\xbf)?(?:(?:"?Type"?,"?Name"?,|"?Timestamp"?,"?User Count"?,"?Type"?,"?Name"?,'
    rb'|"?Name"?,"?# requests"?,)[^\n]*"?50%"?,"?66%"?,|"?Method"?,"?Name"?,"?# requests"?,)'
)


@dataclass(frozen=True)
class Summary:
    """A kind of summary of requests: how to recognise it, and how to get the requests themselves.

    tool: the program that writes it. mark: text that occurs in every such file, so that only files
    with it are parsed. matches: whether a parsed document is such a summary.
    """

    tool: str
    mark: bytes
    matches: Callable[[dict[str, Any]], bool]
    advice: str


def summary_of(head: bytes) -> Summary | None:
    """Recognise a summary of requests by the first bytes of a file; None for other files."""
    if _LOCUST.match(head):
        return _OF_LOCUST
    marked = [each for each in _SUMMARIES if each.mark in head]
    if not marked or not head.lstrip().startswith(b"{"):
        return None
    try:
        document = json.loads(head)
    except (ValueError, RecursionError):
        return None
    return next((each for each in marked if each.matches(document)), None)


def _is_k6(document: dict[str, Any]) -> bool:
    """Whether the document has metrics by name, with or without `values` in between."""
    metrics = document.get("metrics")
    trends = metrics.values() if isinstance(metrics, dict) else ()
    return any(
        isinstance(values, dict) and "avg" in values
        for one in trends
        if isinstance(one, dict)
        for values in (one, one.get("values"))
    )


def _is_autocannon(document: dict[str, Any]) -> bool:
    latency = document.get("latency")
    return isinstance(latency, dict) and "p97_5" in latency and "connections" in document


def _is_vegeta(document: dict[str, Any]) -> bool:
    latencies = document.get("latencies")
    return isinstance(latencies, dict) and {"mean", "max"} <= latencies.keys()


def _is_jmeter(document: dict[str, Any]) -> bool:
    """Whether it has the statistics of a dashboard, by label."""
    return all(isinstance(one, dict) and "sampleCount" in one for one in document.values())


def _is_vllm(document: dict[str, Any]) -> bool:
    return document.keys() >= {"num_prompts", "request_throughput"} and "errors" not in document


def _is_sglang(document: dict[str, Any]) -> bool:
    return "sharegpt_output_len" in document and "ttfts" not in document


def _is_bombardier(document: dict[str, Any]) -> bool:
    result = document.get("result")
    return isinstance(result, dict) and {"timeTakenSeconds", "latency"} <= result.keys()


def _is_artillery(document: dict[str, Any]) -> bool:
    aggregate = document.get("aggregate")
    return isinstance(aggregate, dict) and "summaries" in aggregate


def _is_nighthawk(document: dict[str, Any]) -> bool:
    """Whether it is in JSON of Nighthawk, or in that of fortio, in which it has counts as text."""
    results, histogram = document.get("results"), document.get("DurationHistogram")
    if isinstance(histogram, dict):
        return isinstance(histogram.get("Count"), str)
    return isinstance(results, list) and any(
        isinstance(one, dict) and "statistics" in one for one in results
    )


def _is_fortio(document: dict[str, Any]) -> bool:
    """Whether it is a result of any version, or one of its histograms alone."""
    is_histogram = document.keys() >= {"Count", "StdDev", "Data"}
    return is_histogram or isinstance(document.get("DurationHistogram"), dict)


_SUMMARIES = (
    Summary(
        "k6",
        b'"metrics"',
        _is_k6,
        K6_ROWS,
    ),
    Summary("autocannon", b'"p97_5"', _is_autocannon, AT_A_RATE.format("autocannon")),
    Summary("bombardier", b'"timeTakenSeconds"', _is_bombardier, AT_A_RATE.format("bombardier")),
    Summary("artillery", b'"summaries"', _is_artillery, NO_REQUESTS.format("artillery")),
    *(
        Summary("Nighthawk", mark, _is_nighthawk, NO_REQUESTS.format("Nighthawk"))
        for mark in (b'"benchmark_http_client.', b'"DurationHistogram"')
    ),
    Summary("vegeta", b'"latencies"', _is_vegeta, VEGETA_ROWS),
    Summary("JMeter", b'"sampleCount"', _is_jmeter, JMETER_LOG),
    *(
        Summary("fortio", mark, _is_fortio, FORTIO_LOG)
        for mark in (b'"DurationHistogram"', b'"StdDev"')
    ),
    Summary(
        "vLLM",
        b'"request_throughput"',
        _is_vllm,
        "have vLLM write every request by `vllm bench serve --save-result --save-detailed`, and "
        "give that",
    ),
    Summary(
        "ghz",
        b'"latencyDistribution"',
        lambda document: "rps" in document and not document.get("details"),
        "have ghz write every request by `ghz --format json`, and give that with its `details`",
    ),
    Summary(
        "SGLang",
        b'"sharegpt_output_len"',
        _is_sglang,
        "have SGLang write every request by `python -m sglang.bench_serving --output-details "
        "--output-file FILE`, and give that",
    ),
)
_OF_LOCUST = Summary(
    "locust",
    b"",
    lambda _document: False,
    "write `response_time` of every request in a listener of `events.request`, and give that file",
)
