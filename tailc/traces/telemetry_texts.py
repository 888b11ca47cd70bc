"""Recognise texts of monitoring systems that are neither spans, scrapes nor tables of requests."""

from __future__ import annotations

import re

from tailc.traces.other_texts import OtherText, text_among

_BOM = rb"(?:\xef\xbb\xbf)?"
_QUERY = "query the buckets at `/api/v1/query`, and give the answer of the server"


def telemetry_text(head: bytes) -> OtherText | None:
    """Recognise a text of a monitoring system by the first bytes of a file; None for others."""
    return text_among(_TEXTS, head)


_TEXTS = (
    OtherText(
        re.compile(rb'\s*\{\s*"resource_?(?:[Mm]etrics|[Ll]ogs|[Pp]rofiles)"\s*:'),
        "exports of metrics or logs above those of spans",
        "give the spans alone, such as by `grep resourceSpans FILE > spans.json`",
        (b'\n{"resourceSpans"',),
    ),
    OtherText(
        re.compile(rb'\s*\{\s*"resource_?[Mm]etrics"\s*:'),
        "metrics in OTLP JSON, not spans",
        "give the spans of the requests; or export the histogram to Prometheus, by the exporter "
        "`prometheus` of a collector, and give a scrape",
    ),
    OtherText(
        re.compile(rb'\s*\{\s*"resource_?[Ll]ogs"\s*:'),
        "logs in OTLP JSON, not spans",
        "give the spans of the requests, or their times as a table with `--column`",
    ),
    OtherText(
        re.compile(rb'\{"metric":\{[^\n]*\},"values":\['), "an export of VictoriaMetrics", _QUERY
    ),
    OtherText(
        re.compile(rb'(?:[^\n]{0,4000}\} => \S+ @\[|\{__name__="[^\n]{0,4000}\} \S+ \d{13}\r?\n)'),
        "what promtool prints, not a scrape",
        _QUERY,
    ),
    OtherText(
        re.compile(rb'\s*\{(?:[A-Za-z_]\w*="[^"\n]{0,1000}"(?:, ?)?){1,60}\}[ \t]+[-+]?(?:\d|Inf)'),
        "what the console of Prometheus shows, not a scrape",
        "query the buckets themselves, and not their `rate`, at `/api/v1/query`, and give the "
        "answer of the server",
    ),
    OtherText(
        re.compile(rb'\s*\{\s*"Traces"\s*:\s*\['),
        "traces of AWS X-Ray",
        "send the spans to an OpenTelemetry collector with the exporter `file`, and give what it "
        "writes",
        (b'"Segments"',),
    ),
    OtherText(
        re.compile(rb"(?:[\w.:\-/%]{1,400}: [^\n]{0,400}\n){0,2000}?[\w.:\-/%]{1,400}: P0\("),
        "statistics of Envoy, which have percentiles, not requests",
        "give a scrape of `/stats/prometheus`, which has histograms, and choose one by `--metric`",
    ),
    OtherText(
        re.compile(_BOM + rb"entity_id,state,last_(?:changed|updated)"),
        "a history of Home Assistant, which has a row only where a value changes",
        "export the hourly statistics of the sensor, or write its means in equal steps, such as by "
        "`resample('15min').mean()` of pandas after `ffill()`, without `unavailable` and `unknown`",
    ),
    OtherText(
        re.compile(rb"[\w.-]+:-?[\d.]+\|(?:ms|h|d|c|g|s)(?:\|[^\n]*)?\r?\n"),
        "messages of StatsD, not a table",
        "write the times of one metric below a name, such as `(echo time_ms; "
        "sed -nE 's/^NAME:([0-9.]+)[|]ms.*/\\1/p' FILE) > times.csv`, with `--column time_ms`",
    ),
)
