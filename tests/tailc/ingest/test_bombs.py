"""Small files that would become large, and headers that lie: refused in a child within limits."""

import base64
import gzip
import json
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tailc.ingest.protobuf import framed, request, server, sized

SWOLLEN = 1 << 24
# Of the processor, whatever else it does.
MOST_SECONDS, MOST_MIB = 20, 512
# Every file in turn under a limit on the address space; a line of JSON each.
CHILD = """
import contextlib, io, json, re, resource, sys, time
from tailc.cli import run
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
for path in sys.argv[1:]:
    told = io.StringIO()
    column = ["--column", "demand_ms"] if "table" in path else []
    words = ["--unit", "ms", "--measure", "demand-busy", *column, "-o", "never.profile"]
    begun = time.process_time()
    with contextlib.redirect_stderr(told), contextlib.redirect_stdout(told):
        code = run(["ingest", path, *words])
    with open("/proc/self/status") as status:
        peak_mib = int(re.search("VmHWM:\\\\s*([0-9]+)", status.read())[1]) >> 10
    seconds = time.process_time() - begun
    print(json.dumps([path, code, seconds, peak_mib, told.getvalue()]), flush=True)
"""
JSON = b'{"resourceSpans":[' + b"{}," * (5 << 20)
JAEGER = b'{"data":[{"traceID":"a","spans":['
OBJECT = b'{"type":"Point","metric":"http_req_duration","data":'


def log(counts, digits=5, highest=1 << 62):
    """A log of one interval, whose histogram of version 2 has these encoded counts."""
    head = (len(counts), 0, digits, 1, highest, 1.0)
    packed = zlib.compress(struct.pack(">iiiiqqd", 0x1C849313, *head) + counts)
    encoded = base64.b64encode(struct.pack(">ii", 0x1C849314, len(packed)) + packed)
    return b"#[Histogram log format version 1.3]\n0.1,1.0,2.7," + encoded + b"\n"


def varint(number):
    """Zig-zag LEB128, in which Parquet writes numbers."""
    number <<= 1
    found = b""
    while number > 0x7F:
        found += bytes([number & 0x7F | 0x80])
        number >>= 7
    return found + bytes([number])


def parquet(column, **options):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"demand_ms": column}), sink, compression="zstd", **options)
    return sink.getvalue().to_pybytes()


def forged(true, claimed, part):
    """A Parquet file of 3,000 ones, a number in its data or in its footer replaced."""
    data = parquet(np.ones(3_000), use_dictionary=False)
    footer = len(data) - 8 - struct.unpack("<i", data[-8:-4])[0]
    old, new = varint(true), varint(claimed)
    ranges = {"data": slice(0, footer), "footer": slice(footer, len(data))}
    changed = data[ranges[part]].replace(old, new)
    assert changed != data[ranges[part]]
    return changed + data[footer:] if part == "data" else data[:footer] + changed


def bombs():
    repeated = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(60_000, np.int32)), pa.array(["7" * (1 << 20)])
    )
    return {
        "a line of a table.csv.gz": gzip.compress(b"demand_ms\n5\n" + b"7" * SWOLLEN, 1),
        "an open quote in a table.csv.gz": gzip.compress(
            b'demand_ms\n5\n"' + b"7\n" * (SWOLLEN // 2), 1
        ),
        "a table.ndjson.gz": gzip.compress(b'{"demand_ms": 5}\n' + b"7" * SWOLLEN, 1),
        "a deep table.ndjson": b'{"demand_ms": 5, "x": ' + b"[" * 500_000,
        "a table of a dictionary.parquet": parquet(repeated),
        "rows of a table.parquet": forged(3_000, 8_000, "footer"),
        "page of a table.parquet": forged(24_007, 2**31 - 1, "data"),
        "table.csv.zst": pa.compress(b"demand_ms\n" * 100_000, "zstd", asbytes=True),
        "interval.hlog": log(b"\0" * ((1 << 24) - 100)),
        "values.hlog": log(b"\x02" * (1 << 23)),
        "count.hlog": log(b"\xfe" + b"\xff" * 7 + b"\x7f", 3),
        "line.hlog.gz": gzip.compress(log(b"")[:-1] + b"A" * SWOLLEN, 1),
        "wrk2.txt.gz": gzip.compress(b"Running 5m test @ http://x\n" * 2 + b"\n" * SWOLLEN, 1),
        "k6.json.gz": gzip.compress(OBJECT + b'"' + b"a" * SWOLLEN, 1),
        "k6.json": OBJECT + b"[" * 500_000 + b"\n",
        "oha.json": b'{"latencyPercentiles":' + b"[" * 500_000,
        **bombs_of_spans(),
        **bombs_of_metrics(),
        "deep.profile": b'{"digest":"%b","format":"tailc-profile",' % (b"0" * 64) + b"[" * 500_000,
    }


def bombs_of_spans():
    deep = b""
    for _ in range(2_000):
        deep = sized(5, sized(1, deep))
    many = framed(pa.compress(b"\x0a\x00" * SWOLLEN, "zstd", asbytes=True))
    good = request(server())
    return {
        "empty spans.pb.gz": gzip.compress(good + sized(1, sized(2, b"\x12\x00" * 4_000_000)), 1),
        "links of a span.pb": good + request(server(more=sized(13, b"") * 600_000)),
        "deep attributes.pb": good + request(server(more=sized(9, sized(2, deep)))),
        "length of a message.pb": framed(good) + framed(good, 2**32 - 1),
        "length of a field.pb": good + sized(1, good, 1 << 62),
        "varint.pb.gz": gzip.compress(good + b"\x0a" + b"\xff" * SWOLLEN, 1),
        "cut.pb": framed(good) + framed(good * 100_000)[:-1],
        "zstd.pb": framed(good) + many,
        "zstd of JSON.pb": framed(good) + framed(pa.compress(JSON, "zstd", asbytes=True)),
        "jaeger.json.gz": gzip.compress(JAEGER + b"{}," * SWOLLEN, 1),
        "deep jaeger.json": JAEGER + b"[" * 500_000,
    }


def bombs_of_metrics():
    bucket = b'x_seconds_bucket{le="%d"} 1\n'
    labels = b'x_bucket{a="%d' + b"b" * 60_000 + b'",le="1"} 1\n'
    native = b'{"metric":{},"histogram":[0,{"count":"0","buckets":['
    answer = b'{"status":"success","data":{"resultType":"vector","result":['
    empty = b"".join(b'[0,"%d","%d","0"],' % (at, at + 1) for at in range(60_000))
    histogram = native + empty + b'[0,"60000","60001","0"]]}]},'
    scrapes = {
        "line of a scrape": bucket % 1 + b"x_seconds_bucket{" + b"a" * SWOLLEN,
        "buckets of a scrape": b"".join(bucket % bound for bound in range(150_000)),
        "lines of a scrape": bucket % 1 + (b"#" * 999 + b"\n") * 80_000,
        "labels of a scrape": b"".join(labels % number for number in range(400)),
        "series of an answer": answer + b'{"metric":{},"value":[0,"1"]},' * 150_000,
        "histograms of an answer": answer + histogram * 4,
    }
    head = sized(1, b"x_seconds") + b"\x18\x04"
    families = {
        "metrics of a family": head + sized(4, sized(7, b"")) * 150_000,
        "deltas of a family": head + sized(4, sized(7, b"\x28\x00" + b"\x68\x02" * 400_000)),
        "spans of a family": head + sized(4, sized(7, b"\x62\x00" * 400_000)),
    }
    scrapes |= {name: sized(0, data)[1:] for name, data in families.items()}
    packed = {f"{name}.gz": gzip.compress(data, 1) for name, data in scrapes.items()}
    return packed | {"deep answer.json": answer + b"[" * 500_000}


@pytest.mark.skipif(sys.platform != "linux", reason="limits and peaks of memory are those of Linux")
def test_bombs_and_forged_headers_are_refused_within_limits(tmp_path):
    made = bombs()
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
    child = subprocess.run(
        [sys.executable, "-c", CHILD, *made],
        cwd=tmp_path,
        env={"PYTHONPATH": ":".join(sys.path), "TAILC_DEBUG": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    found = {name: rest for name, *rest in map(json.loads, child.stdout.splitlines())}
    assert found.keys() == made.keys(), child.stderr
    for name, (code, seconds, peak_mib, told) in found.items():
        assert code == 65, (name, told)
        assert told.startswith("error[TC02"), (name, told)
        assert "help:" in told, (name, told)
        assert seconds < MOST_SECONDS, name
        assert peak_mib < MOST_MIB, name
    assert not Path(tmp_path, "never.profile").exists()
