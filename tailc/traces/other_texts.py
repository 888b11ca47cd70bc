"""Recognise texts of other programs that look like a table, and say how to get measurements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_BOM = rb"(?:\xef\xbb\xbf)?"


@dataclass(frozen=True)
class OtherText:
    """A kind of text that is not a table: how to recognise it, and how to get its measurements.

    begins: matches the beginning. what: its name. advice: for the user. has: what must be in it,
    too.
    """

    begins: re.Pattern[bytes]
    what: str
    advice: str
    has: tuple[bytes, ...] = ()


def other_text(head: bytes) -> OtherText | None:
    """Recognise a text that is not a table by its first bytes; None for other files."""
    return text_among(_TEXTS, head)


def text_among(texts: Sequence[OtherText], head: bytes) -> OtherText | None:
    """Select the first kind in `texts` that a file's first bytes match; None if none does."""
    return next(
        (
            each
            for each in texts
            if each.begins.match(head) and all(mark in head for mark in each.has)
        ),
        None,
    )


_NO_REQUESTS = (
    "measure with a generator that writes every request, such as `oha -q RATE --output-format csv`"
)
_COLLECTOR = "send the spans to an OpenTelemetry collector"
_TEXTS = (
    OtherText(
        re.compile(rb"\s*\[\s*(?:\[\s*)?\{(?=[^\0]*?\"binaryAnnotations\"\s*:)"),
        "spans of version 1 of Zipkin's API, not a table",
        "give the answer of version 2, from `/api/v2/traces`",
        (b'"traceId"',),
    ),
    OtherText(
        re.compile(rb"\s*\{\s*\n"),
        "spans as OpenTelemetry's console exporter of Python prints them, not OTLP",
        f"{_COLLECTOR} with the exporter `file`, and give what it writes",
        (b'"context": {', b'"trace_id": "0x', b'"kind": "SpanKind.'),
    ),
    OtherText(
        re.compile(rb'\s*(?:\[\s*)?\{\s*"Name"\s*:'),
        "spans as OpenTelemetry's stdout exporter of Go prints them, not OTLP",
        f"{_COLLECTOR} with the exporter `file`, and give what it writes",
        (b'"SpanContext"', b'"SpanKind"'),
    ),
    OtherText(
        re.compile(rb"(?:[^\n]{0,400}\n){0,20}?[^\n]{0,200}ResourceSpans #\d"),
        "spans as the exporter `debug` of an OpenTelemetry collector prints them, not OTLP",
        "add the exporter `file` to the collector, and give what it writes",
    ),
    OtherText(
        # The line below the names, or above them.
        re.compile(rb"(?:[^\n]{0,4000}\n)?(?=[-+|: ]*\r?\n)[ |+:]*--[^\n+|]*[+|]"),
        "a table drawn with lines, as of psql, mysql or Markdown",
        "write it as CSV by `psql --csv`, or as `mysql --batch`; or without the lines, such as by "
        '`awk -F\'|\' \'NF > 1 && !/^[-+|: ]*$/ {gsub(/ *[|] */, ","); gsub(/^[, ]+|[, ]+$/, ""); '
        "print}' FILE > table.csv`",
    ),
    OtherText(
        re.compile(rb"(?:\d{16}\t\d{1,3}\t\d+\r?\n){3}"),
        "a log of h2load, which has no line of names",
        "give it below names, such as `(printf 'start_us\\tstatus\\ttime_us\\n'; cat FILE) > "
        "times.tsv`, with `--column time_us --measure response-closed`",
    ),
    OtherText(
        re.compile(_BOM + rb"timestamp, [^\n]*\[W\]"),
        "output of nvidia-smi with units in its cells",
        "log it by `--format=csv,nounits`; or remove the units, such as by `sed -E 's/, /,/g; "
        "s/ (W|MHz|MiB|%|C)(,|$)/\\2/g; s#^([0-9]{4})/([0-9]{2})/#\\1-\\2-#' FILE > power.csv`",
    ),
    OtherText(
        re.compile(rb'\s*\{\s*"data"\s*:\s*(?:null|\[\s*\])\s*,'),
        "an answer with an error and without data, as of Jaeger's query service",
        "check the query by the message in `errors`, and save the answer again",
        (b'"errors"', b'"msg"'),
    ),
    OtherText(
        re.compile(rb"(?:[*<>] [^\n]{0,4000}\n){3}|HTTP/\d[.\d]* \d{3}[ \r\n]"),
        "what `curl -v` or `curl -i` prints, with lines of the protocol",
        "save the answer alone: `curl -s URL > answer.txt`",
    ),
    OtherText(
        re.compile(rb"(?:\s*[0-9.]+\s+[01]\.[0-9]{6,}\s+\d+(?:\s+[0-9.]+)?\r?\n){3}"),
        "percentiles of HdrHistogram without the line of their names",
        "write it above them, such as by `(echo 'Value Percentile TotalCount 1/(1-Percentile)'; "
        "cat FILE) > run.txt`, and give that with `--unit`",
    ),
    OtherText(
        re.compile(rb'\s*\{(?=[^\0]{0,2000}?"measurements"\s*:)'),
        "metrics of Spring Boot's actuator, which have a mean and a maximum, not requests",
        "give a scrape of `/actuator/prometheus`, with "
        "`management.metrics.distribution.percentiles-histogram.http.server.requests=true`",
        (b'"statistic"', b'"baseUnit"'),
    ),
    OtherText(
        re.compile(rb"\s*\"?HIST[A-Za-z0-9+/]{20,}={0,2}\"?\s*$"),
        "one encoded histogram of HdrHistogram, without the line of its log",
        "write it into a log, such as by `(echo '#[Histogram log format version 1.2]'; "
        'echo "0,1,0,$(cat FILE)") > run.hlog`',
    ),
    OtherText(
        re.compile(rb'\s*\{\s*"result"\s*:\s*\{\s*"resourceSpans"'),
        "an answer of Jaeger's API, version 3, which has OTLP inside",
        "take out the OTLP, for example by `jq -c .result FILE > spans.json`, and give that file",
    ),
    OtherText(
        re.compile(rb"\s*[\[{]"),
        "spans of Datadog, whose parents contain the times of their children",
        f"{_COLLECTOR} with the receiver `datadog` and the exporter `file`, and give its file",
        (b'"trace_id"', b'"span_id"', b'"parent_id"', b'"resource"', b'"duration"'),
    ),
    OtherText(
        re.compile(rb'\s*(?:\[\s*)?\{(?![^\0]{0,2000}?"data"\s*:)'),
        "traces of Jaeger without the member `data` that its query service puts them in",
        "add that member: `jq '{data: (if type == \"array\" then . else [.] end)}' FILE > "
        "traces.json`",
        (b'"traceID"', b'"spanID"', b'"processID"', b'"processes"'),
    ),
    OtherText(
        re.compile(rb"\s*[\[{]"),
        "spans of Jaeger as its storage has them, without their traces",
        "save the traces by Jaeger's query service: `/api/traces?service=NAME&limit=1000`",
        (b'"startTimeMillis"', b'"spanID"'),
    ),
    OtherText(
        re.compile(_BOM + rb"(?:\s*<\?xml[^>]*>)?\s*<testResults\b"),
        "a log of JMeter in XML",
        "write CSV by `jmeter -Jjmeter.save.saveservice.output_format=csv`; or give its samples "
        "as CSV, such as `(echo timeStamp,elapsed,success; sed -nE "
        '\'s/.*<(httpSample|sample) t="([0-9]+)".* ts="([0-9]+)" s="([a-z]+)".*/\\3,\\2,\\4/p\' '
        "FILE) > run.csv`",
    ),
    OtherText(
        # Time in ms, latency, direction, a power of two of bytes; then offset and priority.
        re.compile(
            rb"(?:\d+, \d+, [0-2], (?:512|1024|2048|4096|8192|16384|32768|65536|131072|262144|"
            rb"524288|1048576)(?:, \d+){0,2}\r?\n){3}"
        ),
        "a log of fio, which has no line of names",
        "give it below names, such as `(echo at_ms,latency_ns,kind,bytes; cut -d, -f1-4 FILE | "
        "tr -d ' ') > run.csv`, with `--column latency_ns`; versions before 3 write microseconds",
    ),
    OtherText(
        # Means have no size.
        re.compile(rb"(?:\d+, \d+, [0-2], 0(?:, \d+){0,2}\r?\n){3}"),
        "a log of fio with means of intervals, not latencies",
        "run fio without `log_avg_msec`, so that it logs each operation",
    ),
    OtherText(
        re.compile(rb"\s*\{"),
        "a summary of memtier_benchmark, which has a few percentiles, not requests",
        "have memtier_benchmark write all percentiles by `--hdr-file-prefix PREFIX`, and give the "
        "text file with `--unit ms`",
        (b'"ALL STATS"', b'"run information"'),
    ),
    OtherText(
        re.compile(_BOM + rb'"test","rps","avg_latency_ms",'),
        "a summary of redis-benchmark, which has a few percentiles, not requests",
        "use `memtier_benchmark --hdr-file-prefix PREFIX`, and give the text file with `--unit ms`",
    ),
    OtherText(
        re.compile(rb"\s*Nighthawk - A layer 7 protocol benchmarking tool"),
        "a summary of Nighthawk, which has a few percentiles, not requests",
        _NO_REQUESTS,
    ),
    OtherText(
        re.compile(rb"(?:[^\n]*\n){0,40}?\[OVERALL\], RunTime\(ms\), "),
        "the output of YCSB, not a table",
        "run it with `-p measurementtype=raw`, and give the rows of an operation below a line of "
        "names, such as `(echo op,at_ms,latency_us; grep ^READ, FILE)`, with `--column latency_us`",
    ),
    OtherText(
        # Client, transaction, time in us, script, end in s and us; then lag and retries.
        re.compile(rb"\d+ \d+ (?:\d+|skipped|failed) \d+ \d{9,10} \d{1,6}(?: \d+)*\r?\n"),
        "a log of pgbench, which has no line of names",
        "give its times below a name, such as "
        "`(echo latency_us; awk '$3 !~ /[a-z]/ {print $3}' FILE) > times.csv`, with `--column "
        "latency_us`",
    ),
    OtherText(
        # A time stamp in ms, or a date and a time of day.
        re.compile(
            rb"(?:\d{13}|\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d[.\d]*)([,;\t|])\d+\1[^\n]*\1"
            rb"(?:true|false)\1"
        ),
        "a log of JMeter without a line of names",
        "set `jmeter.save.saveservice.print_field_names=true`, or begin the file with the names of "
        "its fields, such as `timeStamp,elapsed,label,responseCode,...`",
    ),
    OtherText(
        re.compile(_BOM + rb"Latitude \(decimal degrees\)\s*:"),
        "a file of PVGIS, which has other lines before and after its table",
        "give the lines of its table, with times by ISO 8601, such as by `sed -nE 's/\\r//; "
        "/^time/p; s/^(....)(..)(..):(..)(..),/\\1-\\2-\\3T\\4:\\5Z,/p' FILE > pvgis.csv`",
    ),
    OtherText(
        re.compile(rb'\s*\{(?=[^\0]*?"hourly"\s*:\s*\[\s*\{\s*"time"\s*:\s*"\d{8}:\d{4}")'),
        "JSON of PVGIS, whose rows are in `outputs.hourly`",
        "write a row on each line, with times by ISO 8601, such as by `jq -c '.outputs.hourly[] | "
        '.time |= sub("(?<y>....)(?<m>..)(?<d>..):(?<h>..)(?<i>..)"; '
        '"\\(.y)-\\(.m)-\\(.d)T\\(.h):\\(.i)Z")\' FILE > pvgis.ndjson`',
    ),
    OtherText(
        re.compile(rb"\s*+(?:\w{1,100}\s*+[:=]\s*+)?+(?:\[\s*+)?+\{\s*+'[^'\n]{1,400}'\s*+:"),
        "objects as Python prints them, not JSON",
        "write JSON, such as by `python3 -c 'import ast, json, re, sys; text = re.sub(r\"^\\s*\\w+"
        '\\s*[:=]", "", sys.stdin.read()); print(json.dumps(ast.literal_eval(re.sub(r"}\\s*\\n'
        '\\s*{", "},{", text.strip()))))\' < FILE > rows.json`',
    ),
    OtherText(
        # The kind of the first record, and the length of the version.
        re.compile(rb"\0{4}[\x05-\x20]\d+\.\d+\.\d"),
        "a binary log of Gatling, as from version 3.12 on, and no table",
        "convert it to CSV with a reader of such logs, and give the column of its response times; "
        f"or {_NO_REQUESTS}",
    ),
    OtherText(
        re.compile(rb"# stats: dump at \d+\s"),
        "a summary of tsung, which has means but no requests",
        'have tsung write every request by `<tsung dumptraffic="protocol">`, and give its file '
        "`tsung.dump` with `--column duration --unit ms`",
    ),
    OtherText(
        re.compile(_BOM + rb"LOCATION,[^\n]*\n\s*DESIGN CONDITIONS,"),
        "a weather file of EnergyPlus (EPW), which has other lines before its table",
        "write its hours with a date of one year, such as `(echo time,ghi; awk -F, -v year=2023 "
        "'NR > 8 {printf \"%d-%02d-%02dT%02d:00,%s\\n\", year, $2, $3, $4 - 1, $14}' FILE) > "
        "ghi.csv`; the second-to-last number in its first line is the `zone`, to write as `+05:30`",
    ),
    OtherText(
        re.compile(_BOM + rb"#(?:group|datatype|default),[^\n]*\n(?:#[^\n]*\n)*,"),
        "annotated CSV of InfluxDB, whose first lines are not names",
        "remove the annotations, such as `grep -v '^#' FILE > table.csv`, and give a single table "
        "of the result",
    ),
    OtherText(
        # The length of the type of a result, its number, and its name, as package gob of Go writes.
        re.compile(rb"[\s\S]{1,3}\xff\x81\x03\x01\x01\x06Result\x01\xff\x82\x00"),
        "a file of results in the binary form of vegeta",
        "write them as rows: `vegeta encode --to csv FILE > run.csv`",
    ),
)
