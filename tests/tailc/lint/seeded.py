"""A clean trace of each sort, and one with each defect that a trace can have."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 1000
RNG = np.random.default_rng(20)
DEMAND = RNG.gamma(2.0, 10.0, ROWS).round(6).clip(0.5)
GAPS = RNG.exponential(1.0, ROWS).round(6)
ARRIVAL = GAPS.cumsum().round(6)
EPOCH_S = 1_700_000_000
DAYS = 4
STEP_S = 900


@dataclass(frozen=True)
class Seed:
    """A file of that name and content, and what is said of it on the command line."""

    name: str
    content: bytes
    options: tuple[str, ...] = ()


def csv(*options: str, name: str = "t.csv", **columns: Any) -> Seed:
    """A CSV file of the columns."""
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    return Seed(name, ("\n".join(lines) + "\n").encode(), options)


def demands(values: Any, *options: str, **others: Any) -> Seed:
    """Demands in ms, beside other columns."""
    return csv(*options, demand_ms=values, **others)


def text(*lines: str, ends: str = "\n", last: str = "\n") -> Seed:
    """A CSV file of these lines."""
    return Seed("t.csv", (ends.join(lines) + last).encode("utf-8", "surrogateescape"))


def parquet(table: pa.Table, **options: Any) -> Seed:
    """A Parquet file."""
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return Seed("t.parquet", sink.getvalue())


def swapped(values: Any, *cells: object) -> list[object]:
    """The values, those from the sixth on replaced by the cells."""
    return [*list(values)[:5], *cells, *list(values)[5 + len(cells) :]]


def recorded(arrival: Any = ARRIVAL, demand: Any = DEMAND, **others: Any) -> Seed:
    """Requests with their arrivals in seconds."""
    return csv(arrival_s=arrival, demand_ms=demand, **others)


def dated(times: Any, demand: Any = DEMAND) -> Seed:
    """Requests with their arrivals as date-times."""
    return csv(timestamp=list(times), demand_ms=list(demand)[: len(list(times))])


def stamps(unix_s: np.ndarray, ends: str = "Z") -> list[str]:
    """Unix seconds as text in ISO 8601."""
    return [f"{np.datetime64(round(at * 1e3), 'ms')}{ends}" for at in unix_s]


def sun() -> np.ndarray:
    """Power of the sun in W, of four days in steps of a quarter of an hour."""
    hour = np.arange(DAYS * 86_400 // STEP_S) * STEP_S / 3600 % 24
    noise = 1 + 0.05 * np.random.default_rng(3).random(len(hour))
    return (1000 * np.sin(np.pi * (hour - 6) / 12).clip(0) * noise).round(3)


def series(
    values: np.ndarray, *options: str, column: str = "solar_w", zone: str = "-07:00"
) -> Seed:
    """A series from midnight on."""
    at = np.datetime64("2024-06-01T00:00") + np.arange(len(values)) * np.timedelta64(STEP_S, "s")
    columns: dict[str, Any] = {"time": [f"{one}{zone}" for one in at], column: values}
    return csv(*options, **columns)


def changed(values: np.ndarray, at: slice, to: object) -> np.ndarray:
    """A copy with some values changed."""
    made = values.copy()
    made[at] = to
    return made


def timings(duration: Callable[[int, int, int], float]) -> Seed:
    """Twelve repetitions of ten requests on one to three threads."""
    rows = [(q, d, r) for q in range(10) for d in (1, 2, 3) for r in range(12)]
    return csv(
        query=[q for q, _d, _r in rows],
        degree=[d for _q, d, _r in rows],
        duration_ms=[round(duration(*row), 4) for row in rows],
    )


def curves(*speedups: object, rows: int = 30) -> Seed:
    """Each request with the same speed-ups."""
    columns = {f"speedup_{d}": [value] * rows for d, value in enumerate(speedups, 1)}
    return demands(DEMAND[:rows], **columns)


def timed(query: int, degree: int, repetition: int) -> float:
    """A duration that nothing is wrong with."""
    return (10 + query) / (1 + 0.8 * (degree - 1)) * (1 + 0.01 * (repetition % 3))


def waiting() -> np.ndarray:
    """Responses of one server with a queue, in ms."""
    busy_until, responses = 0.0, []
    for arrival, demand in zip(ARRIVAL, DEMAND * 42, strict=True):
        busy_until = max(busy_until, arrival * 1e3) + demand
        responses.append(round(busy_until - arrival * 1e3, 6))
    return np.array(responses)


def slowed() -> np.ndarray:
    """Times of a server that all requests in it share, in ms."""
    ends: list[float] = []
    times = []
    for arrival, demand in zip(ARRIVAL, DEMAND * 60, strict=True):
        others = sum(end > arrival for end in ends[-40:])
        times.append(round(float(demand) * (1 + 0.5 * min(others, 8)), 6))
        ends.append(arrival + times[-1] / 1e3)
    return np.array(times)


def paused() -> Seed:
    """Requests that are not sent while a long one runs, and come at once after it."""
    demand = changed(DEMAND, slice(50, None, 100), 60_000.0)
    gaps = changed(GAPS, slice(51, None, 100), 60.0)
    return recorded(gaps.cumsum().round(6), demand + np.arange(ROWS) * 1e-3)


CLEAN = {
    "requests": recorded(),
    "requests with classes": demands(DEMAND, **{"class": ["a", "b"] * (ROWS // 2)}),
    "dates": dated(stamps(EPOCH_S + ARRIVAL)),
    "timings": timings(timed),
    "speed-ups": curves(1, 1.8, 2.4),
    "series": series(sun()),
    "carbon": series(np.linspace(200, 300, 400).round(3) % 83 + 200, column="carbon"),
    "Parquet": parquet(pa.table({"demand_ms": DEMAND})),
}

_TEXT = [str(value) for value in DEMAND]
_BODY = [f"{value}" for value in DEMAND[:60]]
_SHORT = DEMAND[:60]
_HOURS = 3600.0
_MINUTES = [f"2024-06-01T10:{at:02}:00" for at in range(60)]

# By code of the defect, or of what a reader refuses.
SEEDED = {
    "TC1001": Seed("t.csv", codecs.BOM_UTF8 + demands(DEMAND).content),
    "TC1002": Seed("t.csv", demands(DEMAND).content.decode().encode("utf-16")),
    "TC1003": text("class,demand_ms", "caf\udce9,3.5", *(f"b,{cell}" for cell in _BODY)),
    "TC1004": text("demand_ms", *_BODY[:5], "4.5\0", *_BODY[5:]),
    "TC1005": Seed("t.csv", demands(DEMAND).content + b"4.5\r\n5.5\r\n"),
    "TC1006": text("demand_ms", *_BODY[:5], "4.5\r5.5", *_BODY[5:]),
    "TC1007": text("demand_ms", *_BODY[:5], "", *_BODY[5:]),
    "TC1008": text("demand_ms", "# machine b", *_BODY),
    "TC1009": text("demand_ms", *_BODY, "demand_ms", *_BODY),
    "TC1010": text("demand_ms", *_BODY, "4.", last=""),
    "TC1011": text("class;demand_ms", *(f"a;{cell}" for cell in _BODY)),
    "TC1012": text(*_BODY),
    "TC1014": Seed("t.json", b'[{"demand_ms": 1.5},\n {"demand_ms": 2.5}]\n'),
    "TC1015": text("class;demand_ms", *(f"a;{cell.replace('.', ',')}" for cell in _BODY)),
    "TC1028": csv(answer=_SHORT, of=_SHORT),
    "TC1029": csv(status=[200] * len(_SHORT), request_time=_SHORT),
    "TC1013": text(
        "name,demand_ms", *(f"q{at},{cell}" for at, cell in enumerate(_BODY)), "Total,9999"
    ),
    "TC1021": text(" demand_ms", *_BODY),
    "TC1022": text(",demand_ms", *(f"{at},{cell}" for at, cell in enumerate(_BODY))),
    "TC1023": text("demand_ms,Demand_ms", *(f"{cell},{cell}" for cell in _BODY)),
    "TC1024": Seed("t.ndjson", demands(DEMAND).content),
    "TC1025": parquet(pa.table({"demand_ms": DEMAND}), row_group_size=5),
    "TC1026": parquet(pa.table({"demand_ms": _TEXT})),
    "TC1027": parquet(
        pa.table(
            {
                "arrival_s": pa.array(EPOCH_S + ARRIVAL).cast(pa.float32(), safe=False),
                "demand_ms": DEMAND,
            }
        )
    ),
    "TC1101": demands(swapped(_SHORT, '"4,5"', '"12,75"')),
    "TC1102": demands(swapped(_SHORT, '"1,234.5"', "1_234")),
    "TC1103": demands(swapped(_SHORT, "45ms", "1.2 s")),
    "TC1104": demands(swapped(_SHORT, "NA", "null", "-")),
    "TC1105": demands(swapped(_SHORT, "#DIV/0!")),
    "TC1106": demands(swapped(_SHORT, "01:30")),
    "TC1107": demands([f"{value * 1e4:.1E}" for value in _SHORT]),
    "TC1108": demands(swapped(_SHORT, -1, -1)),
    "TC1109": demands(swapped(_SHORT, 999999, 999999)),
    "TC1110": demands([f'"{value}"' for value in _SHORT]),
    "TC1111": demands([*_SHORT, *(int(value) + 1 for value in _SHORT)]),
    "TC1201": demands([5] * 50),
    "TC1202": demands(DEMAND.clip(max=45)),
    "TC1203": demands(DEMAND.clip(min=4)),
    "TC1204": demands(changed(DEMAND, slice(100, 300), 12.5)),
    "TC1205": demands(np.ceil(DEMAND / 10).clip(max=8) * 10),
    "TC1206": demands(
        np.ceil(DEMAND / 15.625) * 15.625 + np.arange(ROWS) * 15.625 // 40 // 15.625 * 15.625
    ),
    "TC1207": demands(changed(DEMAND, slice(100, 200), DEMAND[100:200] * 1000)),
    "TC1208": demands(swapped(DEMAND, 50_000)),
    "TC1209": demands(
        np.concatenate([DEMAND[:500] / 20 + 1, DEMAND[500:] + 300])[RNG.permutation(ROWS)]
    ),
    "TC0266": demands(DEMAND[:100], "--percentile", "99.9%"),
    "TC1210": demands(_SHORT, weight=[1000, *[1] * 59]),
    "TC1301": recorded([*ARRIVAL, *ARRIVAL[-3:]], [*DEMAND, *DEMAND[-3:]]),
    "TC1302": demands([*DEMAND, *DEMAND[200:300]]),
    "TC1303": demands(_SHORT, request_id=[*range(58), 3, 4]),
    "TC1304": demands(_SHORT, attempt=[*[1] * 58, 2, 3]),
    "TC1311": demands(np.sort(DEMAND)),
    "TC1312": demands(changed(DEMAND, slice(0, 50), DEMAND[:50] * 6)),
    "TC1313": demands((DEMAND * np.linspace(1, 3, ROWS)).round(6)),
    "TC1314": demands(changed(DEMAND, slice(600, None), DEMAND[600:] * 2)),
    "TC1315": demands(np.convolve(DEMAND, np.ones(4), "same").round(6)),
    "TC1321": demands(DEMAND, **{"class": [f"q{at}" for at in range(ROWS)]}),
    "TC1322": demands(DEMAND, **{"class": ["b", *["a"] * (ROWS - 1)]}),
    "TC1323": demands(DEMAND, **{"class": [*["b"] * 12, *["a"] * (ROWS - 12)]}),
    "TC1324": demands(DEMAND, **{"class": ["Get", "get"] * (ROWS // 2)}),
    "TC1401": dated(stamps(EPOCH_S + ARRIVAL + np.where(np.arange(ROWS) > 500, _HOURS, 0))),
    "TC1402": recorded([*ARRIVAL[:500], *ARRIVAL[:500]]),
    "TC1403": recorded(EPOCH_S * 1000 + (ARRIVAL * 1000).astype(int)),
    "TC1404": csv(
        "--time-unit",
        "s",
        timestamp=[*(EPOCH_S + ARRIVAL[:900]), *((EPOCH_S + ARRIVAL[900:]) * 1000)],
        demand_ms=DEMAND,
    ),
    "TC1405": recorded(changed(EPOCH_S + ARRIVAL, slice(7, 8), 0)),
    "TC1406": recorded(np.floor(ARRIVAL / 5) * 5),
    "TC1407": recorded(np.arange(ROWS) * 0.5),
    "TC1408": recorded((GAPS * np.where(np.arange(ROWS) < 500, 3, 1)).cumsum().round(6)),
    "TC1409": recorded(np.concatenate([[0], (DEMAND[:-1] / 1e3 + 1e-4).cumsum()]).round(6)),
    "TC1410": paused(),
    "TC1411": recorded(demand=waiting()),
    "TC1412": recorded(demand=slowed()),
    "TC1421": dated([f"06/{at % 28 + 1:02}/2024 10:00:00" for at in range(60)]),
    "TC1422": dated([f"2024-06-01 10:{at:02}:00 AM" for at in range(60)]),
    "TC1423": dated([*(f"{one}Z" for one in _MINUTES[:59]), "2024-06-30T23:59:60Z"]),
    "TC1424": dated([*(f"{one}Z" for one in _MINUTES[:50]), *_MINUTES[50:]]),
    "TC1425": dated(_MINUTES),
    "TC1426": dated([f"2024-06-{at // 3 + 1:02}" for at in range(60)]),
    "TC1501": curves(1, 1.5, 1.7, 2.2),
    "TC1502": curves(1, 1.01, 1.02),
    "TC1507": csv(
        blob=np.repeat(np.arange(ROWS // 2), 2),
        lanes=[1, 2] * (ROWS // 2),
        demand_ms=(np.repeat(DEMAND[: ROWS // 2], 2) / np.tile([1, 1.5], ROWS // 2)).round(6),
    ),
    "TC1503": curves(41.5, 22.25, 15.5),
    "TC1504": curves(100, 180, 240),
    "TC1505": timings(lambda q, d, r: timed(q, d, r) * (1 if r % 2 else 3)),
    "TC1506": timings(lambda q, d, r: timed(q, d, r) * (1 if r else 1.5)),
    "TC1601": series(np.roll(sun(), 28)),
    "TC1602": series(changed(sun(), slice(96, 98), 300.0)),
    "TC1603": series(changed(sun(), slice(140, 152), 512.5)),
    "TC1604": series(sun().cumsum()),
    "TC1605": series(np.concatenate([sun().cumsum(), sun().cumsum()])),
    "TC1606": series(changed(sun(), slice(150, 151), 20_000.0)),
    "TC1607": series(changed(sun(), slice(96, 192), 0.0)),
    "TC1608": series(sun() * 2, column="ghi"),
    "TC1609": series(sun() / 1e4 + 0.2, column="carbon"),
    "TC0201": text("demand_ms"),
    "TC0203": text("demand_ms,demand_ms", "4,5"),
    "TC0204": demands(swapped(_SHORT, "nan", "fast")),
    "TC0205": demands(swapped(_SHORT, "inf")),
    "TC0206": demands(swapped(_SHORT, 0, -3)),
    "TC0207": text("demand_ms", *_BODY[:5], "4,5", *_BODY[5:]),
    "TC0208": Seed("t.ndjson", b'{"demand_ms": 4.5}\n{"demand_ms": 5'),
    "TC0209": Seed("t.parquet", parquet(pa.table({"demand_ms": DEMAND})).content[:3000]),
    "TC0210": csv(query=["a", "a", "b"], degree=[1, 2, 1], duration_ms=[9, 5, 7]),
    "TC0213": demands(swapped(_SHORT, "1e300")),
    "TC0217": recorded(changed(ARRIVAL, slice(7, 8), 0.1)),
    "TC0218": recorded([3.5], [4.5]),
    "TC0219": recorded(changed(GAPS, slice(500, 501), 9000.0).cumsum().round(6)),
    "TC0225": Seed(
        "k6.csv",
        b"metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,"
        b"method,name,proto,scenario,service,status\n"
        b"http_req_duration,1700000000,4.5,,,,true,,GET,/,HTTP/1.1,default,,200\n",
    ),
    "TC0226": Seed(
        "hey.csv",
        b"response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,"
        b"offset\n0.0048,0.0005,0.0000,0.0001,0.0039,0.0003,200,0.0003\n",
    ),
    "TC0242": csv(time=["2024-06-01T10:00Z"] * 2, solar_w=[1, 2]),
    "TC0243": csv(
        time=[f"2024-06-01T10:{at}Z" for at in ("00", "15", "30", "47")], solar_w=[1, 2, 3, 4]
    ),
    "TC0251": demands(DEMAND / 1e5),
    "TC0252": curves(1, 1.5, 1.4),
    "TC0253": curves(1, 2.5, 2.6),
    "TC0254": curves(1, 1.2, 2.2),
    "TC0260": csv(query=["a"] * 3, degree=[1, 2, 4], duration_ms=[9, 5, 3]),
    "TC0255": csv(query=["a", "a"], degree=[1, 2], duration_ms=[9, 5]),
    "TC0257": curves(1.1, 1.5, 1.8),
    "TC0263": Seed(
        "t.csv",
        b"".join(
            line
            for at, line in enumerate(series(sun()).content.splitlines(keepends=True))
            if at not in (50, 51)
        ),
    ),
    "TC0264": series(sun() - 0.5),
    "TC0265": csv(
        "--zone",
        "America/Denver",
        time=["2012-11-04 00:00", "2012-11-04 01:00", "2012-11-04 01:00", "2012-11-04 02:00"],
        solar_w=[1, 2, 3, 4],
    ),
    "TC0269": Seed(
        "wrk2.txt",
        b"Running 5m test @ http://127.0.0.1:8080/\n  Detailed Percentile spectrum:\n"
        b"       Value   Percentile   TotalCount 1/(1-Percentile)\n"
        b"       1.435     0.000000            1         1.00\n"
        b"      28.511     1.000000        15000          inf\n",
    ),
    "TC0270": demands(_SHORT, status=[*[200] * 58, 503, 500]),
}
