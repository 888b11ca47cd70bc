"""Access logs are called what they are, and the advised command gives the times in them."""

import re
import subprocess

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.access_logs import access_log
from tailc.traces.source import open_source

SYSLOG = "2012-06-12T17:56:11+00:00 localhost haproxy[21732]: "
HAPROXY = (
    "127.0.0.1:40074 [12/Jun/2012:17:56:10.548] web back/i-8bcc:9105 14/0/0/283/575 200 107 - - "
    '---- 232/162/162/5/0 0/0 "POST /intake HTTP/1.1"\n'
)
ABORTED = HAPROXY.replace("14/0/0/283/575 200", "14/0/-1/-1/575 503")
OWN = "haproxy[42]: 4.22.141.40:27088 [18/Nov/2024:16:55:37.482] proxy0~ cache0 0/0/657 GET 31\n"
NGINX = '10.0.0.7 - - [21/Jan/2019:08:59:54 +0100] "POST /jmx HTTP/1.1" 200 242 "-" "-" 0.024\n'
VIRTUAL = f"shop.example.org {NGINX}"
ENVOY = '[2020-11-26T14:25:49.160Z] "POST /a/b HTTP/2" 200 - 1671 9758 300008 - "-" "grpc-go"\n'
ALB = (
    "h2 2021-12-19T11:22:20.356787Z app/staging/cb87 1.1.1.1:62611 172.16.1.1:443 0.006 0.008 "
    '0.000 200 200 498 1485 "GET https://service:443/ HTTP/2.0" "Mozilla/5.0 (X; Win64, x64)" -\n'
)
UNANSWERED = ALB.replace("172.16.1.1:443 0.006 0.008 0.000", "- -1 -1 -1")
CLASSIC = ALB.removeprefix("h2 ").replace("app/staging/cb87", "staging")
IIS = (
    "#Software: Microsoft Internet Information Services 7.5\r\n#Version: 1.0\r\n"
    "#Date: 2015-06-11 00:00:01\r\n"
    "#Fields: date time cs-uri-stem sc-status time-taken cs-bytes\r\n"
    "2015-06-11 00:00:01 /website/example 200 36 9\r\n"
    "#Fields: date time time-taken\r\n2015-06-11 00:00:02 37\r\n"
)
CLOUDFRONT = "#Version: 1.0\n#Fields: date time sc-status time-taken\nd\tt\t200\t0.001\n"

GIN = "".join(
    f'[GIN] 2024/02/01 - 10:00:01 | 200 |  {took} |  192.168.1.5 | GET      "/x"\n'
    for took in ("12.500000ms", "350.1µs")
)
KINDS = [
    ("a log of HAProxy", HAPROXY + ABORTED + SYSLOG + HAPROXY, ["283", "283"]),
    ("a log of HAProxy", SYSLOG + HAPROXY.replace("/575 ", "/+575 "), ["283"]),
    ("a log of HAProxy in a format of its own", OWN + OWN.replace(" 31", " -1"), ["31"]),
    ("an access log of a web server", NGINX * 2, ["0.024", "0.024"]),
    ("an access log of a web server", VIRTUAL, ["0.024"]),
    ("an access log of an AWS load balancer", ALB + UNANSWERED, ["0.008"]),
    ("an access log of an AWS load balancer", UNANSWERED + ALB, ["0.008"]),
    ("an access log of a classic AWS load balancer", CLASSIC, ["0.008"]),
    ("a log of Gin", GIN, ["12.500000ms", "350.1µs"]),
    ("a log in the W3C extended format", IIS, ["36", "37"]),
    ("a log in the W3C extended format", CLOUDFRONT, ["0.001"]),
]


@pytest.mark.parametrize(("kind", "text", "times"), KINDS)
def test_the_advised_command_gives_the_times(tmp_path, kind, text, times):
    message, advice = refused(tmp_path, text)
    assert f"is {kind}" in message
    ((name, command),) = re.findall(r"`\(echo (\w+); (.*) FILE\) > times.csv`", advice)
    assert f"--column {name}" in advice
    written = subprocess.check_output(
        ["/bin/sh", "-c", f"{command} t.log"], cwd=tmp_path, text=True
    )
    assert written.split() == times


REQUEST = '10.0.0.7 - - [16/Sep/2026:10:00:01 +0000] "GET /x?time=9 HTTP/1.1" 200 612 "-" "curl" '


@pytest.mark.parametrize(
    ("words", "column", "times"),
    [
        ('rt={} uct="0.001" uht="0.001" urt="{}" us="200"', "rt", ["0.103", "0.2"]),
        (
            "request_time={} upstream_connect_time=0.0 upstream_status=200",
            "request_time",
            ["0.103", "0.2"],
        ),
        (
            '"https://shop.example/?duration=5" request_time: {} ok',
            "request_time",
            ["0.103", "0.2"],
        ),
        ("took={}ms cache=MISS", "took", ["0.103ms", "0.2ms"]),
    ],
)
def test_a_time_with_a_name_is_taken_by_that_name(tmp_path, words, column, times):
    numbers = ("0.103", "0.2")
    text = "".join(f"{REQUEST}{words.format(each, each)}\n" for each in numbers)
    message, advice = refused(tmp_path, text)
    assert "is an access log of a web server" in message
    ((name, command),) = re.findall(r"`\(echo (\w+); (.*) FILE\) > times.csv`", advice)
    assert name == column
    command = ["/bin/sh", "-c", f"{command} t.log"]
    assert subprocess.check_output(command, cwd=tmp_path, text=True).split() == times


@pytest.mark.parametrize(
    "words", ["0.024", "status=200 0.024", '"https://a.example/?time=5" 0.024', "upstream=- 0.024"]
)
def test_a_parameter_of_an_address_is_no_time(tmp_path, words):
    _message, advice = refused(tmp_path, f"{REQUEST}{words}\n" * 3)
    assert "{print $NF}" in advice


def test_a_log_of_envoy_is_to_be_logged_as_json(tmp_path):
    message, advice = refused(tmp_path, ENVOY)
    assert "is an access log of Envoy" in message
    assert "%DURATION%" in advice


@pytest.mark.parametrize(
    "text",
    [
        f"line,ms\n{NGINX.strip()},24\n",
        "at,request_time\n[21/Jan/2019:08:59:54 +0100],0.024\n",
        '{"time_local": "21/Jan/2019:08:59:54 +0100", "request_time": "0.024"}\n',
        f"at,server,ms\n{ALB}",
        "2021-12-19T11:22:20Z,a,1.1.1.1:2,0.006,0.008\n",
        "#id,ms\n1,2\n",
        "#Fields,ms\n1,2\n",
        "[" * 1000 + "[21/Jan/2019",
        '{"time":"[10/Oct/2000:13:55:36 -0700]","ms":20.1}',
        " " * 100_000,
    ],
)
def test_tables_of_the_same_cells_are_no_access_logs(text):
    assert access_log(text.encode()) is None


def refused(folder, text):
    path = folder / "t.log"
    path.write_text(text, newline="")
    with pytest.raises(TailcError) as caught, open_source(str(path)):
        pass
    (finding,) = caught.value.findings
    assert finding.code is Code.UNKNOWN_INPUT
    return finding.message, finding.help or ""
