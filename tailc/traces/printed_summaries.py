"""Recognise summaries that load generators print: percentiles of a run without its requests."""

from __future__ import annotations

import re

from tailc.traces.other_texts import OtherText, text_among
from tailc.traces.summaries import (
    AT_A_RATE,
    FORTIO_LOG,
    JMETER_LOG,
    K6_ROWS,
    NO_REQUESTS,
    VEGETA_ROWS,
)

_EACH_TIME = (
    "its buckets double in width: print each time instead, such as by {}, and give the times below "
    "a name with `--column`"
)
_LINES = rb"(?:[^\n]{0,400}\n){0,60}?[^\n]{0,100}?"


def printed_summary(head: bytes) -> OtherText | None:
    """Recognise a printed summary of requests by a file's first bytes; None for others."""
    return text_among(_PRINTED, head)


def _summary_of(tool: str, begins: bytes, advice: str, *has: bytes) -> OtherText:
    what = f"a summary of {tool}, which has no times of requests"
    return OtherText(re.compile(begins), what, advice, has)


_PRINTED = (
    _summary_of("vegeta", rb"Requests {2,}\[total, rate", VEGETA_ROWS),
    _summary_of("vegeta", rb"Bucket {2,}# {2,}% {2,}Histogram", VEGETA_ROWS),
    _summary_of(
        "bombardier",
        rb"(?:Bombarding |Statistics {2,}Avg {2,}Stdev)",
        AT_A_RATE.format("bombardier"),
    ),
    _summary_of(
        "autocannon",
        rb"Running [^\n]{1,40} test @ [^\n]*\n\d+ connections",
        AT_A_RATE.format("autocannon"),
    ),
    _summary_of(
        "oha",
        rb"\s*Summary:[ \t\r]*\n\s*Success rate:",
        "write every request by `oha --output-format csv`",
    ),
    _summary_of("k6", _LINES + rb"http_req_duration\.+: avg=", K6_ROWS),
    _summary_of("fortio", rb"Fortio \d[^\n]{0,40} running at ", FORTIO_LOG),
    _summary_of(
        "Gatling",
        rb"\s*(?:=+\s*\n)?---- Global Information -",
        "give the requests of its log `simulation.log`: a row with the difference of the two times "
        "in ms for each line `REQUEST`, without those that end in KO",
    ),
    _summary_of(
        "JMeter",
        rb"(?:summary [+=] +\d+ in |(?:sampler_)?[Ll]abel,(?:# Samples|aggregate_report_count),)",
        JMETER_LOG,
    ),
    _summary_of(
        "h2load",
        rb"starting benchmark\.\.\.",
        "have h2load write every request by `--log-file=FILE`, and give its times below names, "
        "such as `(printf 'start_us\\tstatus\\ttime_us\\n'; cat FILE) > times.tsv`, with `--column "
        "time_us --measure response-closed`, since it sends as answers come",
    ),
    _summary_of(
        "siege",
        rb'\s*\{\s*"transactions":',
        AT_A_RATE.format("siege"),
        b'"availability"',
        b'"longest_transaction"',
    ),
    _summary_of(
        "`go test -bench`",
        _LINES + rb"Benchmark\S+[ \t]+\d+[ \t]+[\d.]+ ns/op",
        "it prints means: have the benchmark write the time of each request, and give that file",
    ),
    _summary_of(
        "sysbench",
        _LINES + rb"(?:Latency histogram \(values are in milliseconds\)|SQL statistics:|"
        rb"sysbench \d[^\n]* \(using)",
        "run it with `--histogram`, and give the buckets as a table, such as `(echo "
        "time_ms,requests; awk '/[|]/ && $1 > 0 {print $1 \",\" $NF}' FILE) > run.csv`, with "
        "`--column time_ms --weight requests`",
    ),
    _summary_of(
        "kafka-producer-perf-test",
        rb"\d+ records sent, [\d.,]+ records/sec \(",
        "it writes no times of records: log that of each record in the callback of a producer, and "
        "give the log with `--column`",
    ),
    _summary_of(
        "a benchmark of LLMs",
        _LINES + rb"=+ Serving Benchmark Result =+",
        "write every request: `vllm bench serve --save-result --save-detailed`, or "
        "`python -m sglang.bench_serving --output-details --output-file FILE`",
    ),
    _summary_of(
        "memtier_benchmark",
        _LINES + rb"(?:Request Latency Distribution[ \t\r]*\nType +<= msec |"
        rb"Type +Ops/sec +Hits/sec +Misses/sec )",
        "have memtier_benchmark write all percentiles by `--hdr-file-prefix PREFIX`, and give the "
        "text file with `--unit ms`",
    ),
    _summary_of(
        "bpftrace",
        _LINES + rb"@[^\n]{0,100}:[ \t\r]*\n\[\d+[KMG]?(?:, \d+[KMG]?[)\]]|\]) +\d+ \|",
        _EACH_TIME.format('`printf("%d\\n", $us)` in place of `hist`'),
    ),
    _summary_of(
        "a tool of bcc",
        _LINES + rb" [mun]secs +: count +distribution",
        _EACH_TIME.format("`biosnoop`, not `biolatency`, or `funcslower`, not `funclatency`"),
    ),
    _summary_of(
        "drill",
        rb"(?:Concurrency|Threads) \d+\s*\nIterations \d+\s*\nRampup ",
        NO_REQUESTS.format("drill"),
    ),
)
