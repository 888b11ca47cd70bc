"""What load generators print at the end of a run is called a summary of theirs."""

import json

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.printed_summaries import printed_summary
from tailc.traces.source import open_source

K6 = (
    "\n          /\\      |‾‾| /‾‾/   /‾‾/\n     execution: local\n"
    "     http_req_duration..............: avg=142.07ms min=120.5ms med=135.2ms p(95)=200.1ms\n"
)
MEMTIER = (
    "Request Latency Distribution\nType     <= msec         Percent\n"
    "------------\nSET       2.300         0.00\n"
)
SIEGE = {"transactions": 10, "availability": 100.0, "longest_transaction": 0.12}
REPORT = {"latencies": {"total": 237, "mean": 23, "99th": 35, "max": 36}, "requests": 100}
DASHBOARD = {"Total": {"transaction": "Total", "sampleCount": 100, "pct1ResTime": 180.0}}
OF_MEMTIER = "Type        Ops/sec     Hits/sec   Misses/sec      Latency       KB/sec"
PRINTED = [
    ("vegeta", "Requests      [total, rate]            200, 19.35\n", "vegeta encode"),
    ("vegeta", json.dumps(REPORT), "vegeta encode"),
    (
        "vegeta",
        "Bucket           #     %       Histogram\n[0s,     5ms]    120   40.00%  ##\n",
        "encode",
    ),
    ("bombardier", "Bombarding http://a.example with 100 request(s)\n", "oha -q RATE"),
    ("bombardier", "Statistics        Avg      Stdev        Max\n  Reqs/sec    12.58\n", "oha -q"),
    ("autocannon", "Running 10s test @ http://a.example\n1 connections\n\nStat\n", "oha -q RATE"),
    ("oha", "Summary:\n  Success rate:\t100.00%\n\nResponse time histogram:\n", "--output-format"),
    ("k6", K6, "k6 run --out csv"),
    ("memtier_benchmark", MEMTIER, "--hdr-file-prefix"),
    ("memtier_benchmark", "Type  Ops/sec\n\nGets  5 5\n\n" + MEMTIER, "--hdr-file-prefix"),
    (
        "memtier_benchmark",
        f"ALL STATS\n{'=' * 72}\n{OF_MEMTIER}\n{'-' * 72}\n",
        "--hdr-file-prefix",
    ),
    (
        "memtier_benchmark",
        f"[RUN #1 100%,  60 secs]  0 threads\n\n\nALL STATS\n{OF_MEMTIER}   p50 Latency\n",
        "--unit ms",
    ),
    ("memtier_benchmark", f"{OF_MEMTIER}\r\n", "--hdr-file-prefix"),
    ("bpftrace", "Attaching 4 probes...\n^C\n\n@usecs:\n[256, 512)   2 |  |\n", "`printf("),
    ("bpftrace", "@:\n[0]       4 |@   |\n[1K, 2K)   10 |@   |\n", "each time"),
    ("a tool of bcc", "Tracing...\n     usecs      : count     distribution\n", "`funcslower`"),
    ("fortio", "Fortio 1.60.3 running at 8 queries per second, 4->4 procs\n", "-access-log-file"),
    (
        "Gatling",
        "=====\n---- Global Information -----\n> request count   14924\n",
        "simulation.log",
    ),
    ("JMeter", "summary +    100 in 00:00:10 =   10.0/s Avg:   120\n", "FILE.jtl"),
    ("JMeter", "Label,# Samples,Average,Median,90% Line\nGET /,100,120,110,180\n", "FILE.jtl"),
    ("JMeter", json.dumps(DASHBOARD, indent=1), "FILE.jtl"),
    ("h2load", "starting benchmark...\nspawning thread #0: 10 total client(s)\n", "--log-file"),
    ("siege", json.dumps(SIEGE, indent="\t"), "oha -q RATE"),
    (
        "`go test -bench`",
        "goos: linux\nBenchmarkX-8   \t 1000\t 1234567 ns/op\nPASS\n",
        "each request",
    ),
    ("ghz", json.dumps({"rps": 9, "latencyDistribution": [], "details": None}), "--format json"),
    ("sysbench", "sysbench 1.0.20 (using bundled LuaJIT 2.1)\n\nRunning the test\n", "--histogram"),
    ("sysbench", "Threads started!\n\nSQL statistics:\n    queries:\n", "--histogram"),
    ("sysbench", "Latency histogram (values are in milliseconds)\n   value  ---\n", "--weight"),
    (
        "kafka-producer-perf-test",
        "49981 records sent, 9996.2 records/sec (0.95 MB/sec), 3.4 ms avg latency, 28 ms max.\n",
        "callback",
    ),
    (
        "a benchmark of LLMs",
        "Starting\n============ Serving Benchmark Result ============\nBackend: sglang\n",
        "--output-details",
    ),
    ("SGLang", json.dumps({"backend": "sglang", "sharegpt_output_len": None}), "--output-details"),
    ("drill", "Threads 20\nIterations 3\nRampup 2\n", "oha -q RATE"),
]


@pytest.mark.parametrize(("tool", "text", "advice"), PRINTED)
def test_a_printed_summary_is_refused_by_the_name_of_its_tool(tmp_path, tool, text, advice):
    message, help_ = refused(tmp_path, text.encode())
    assert f"is a summary of {tool}," in message
    assert advice in help_


def test_results_of_vegeta_in_binary_are_to_be_encoded(tmp_path):
    gob = b"\x7f\xff\x81\x03\x01\x01\x06Result\x01\xff\x82\x00\x01\x0c\x01\x06Attack\x01\x0c\x00"
    message, help_ = refused(tmp_path, gob)
    assert ("binary form of vegeta" in message, "vegeta encode" in help_) == (True, True)


@pytest.mark.parametrize(
    "text",
    [
        '{"transactions": 5, "ms": 3}\n{"transactions": 6, "ms": 4}\n',
        "Requests,[total, rate]\n1,2\n",
        "Label,Samples\na,5\n",
        "summary,ms\na,5\n",
        "Running 10s test @ http://a.example\n  1 threads and 1 connections\n",
        "Summary:\n  Total:\t1.5 secs\n",
        "name,text\na,http_req_duration\n",
        "Type,Ops/sec,Hits/sec,Misses/sec,Latency\nSets,1,2,3,4\n",
    ],
)
def test_other_texts_are_no_printed_summaries(text):
    assert printed_summary(text.encode()) is None


def refused(folder, content):
    path = folder / "t.txt"
    path.write_bytes(content)
    with pytest.raises(TailcError) as caught, open_source(str(path)):
        pass
    (finding,) = caught.value.findings
    assert finding.code is Code.UNKNOWN_INPUT
    return finding.message, finding.help or ""
