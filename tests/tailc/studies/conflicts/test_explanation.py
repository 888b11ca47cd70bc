"""An infeasible compile tells the lines in the way; what it says would do does."""

import json
import re
from pathlib import Path

from tests.tailc.toy import with_lines, write_toy

FINANCE = Path(__file__).parents[4] / "examples" / "finance" / "service.yaml"

# 150 ms of work on two threads take 75 ms; with six requests for six threads each has one.
SPEC = with_lines(
    ("latency: 200ms", "latency: 100ms"),
    ("method: grid, step: 50ms", "method: dual, objective: threads, max_in_system: 6"),
)
LINES = {
    "search.max_in_system": "max_in_system: 6",
    "server.target_parallelism": "target_parallelism: 6",
    "slo[0].latency": "latency: 100ms",
}


def told(tailc, *arguments):
    document = json.loads(tailc(*arguments, "--output-format", "json").out)
    return document, [one for one in document["findings"] if one["code"] == "TC0507"]


def test_each_line_in_the_way_stands_at_its_place_with_what_would_do(in_folder, tailc):
    spec = write_toy(in_folder, SPEC)
    document, lines = told(tailc, "compile", spec, "-o", "toy")
    assert document["exit_code"] == 6
    assert document["findings"][0]["code"] == "TC0501"
    assert [line["message"].split("`")[1] for line in lines] == list(LINES)
    rows = SPEC.splitlines()
    for line, text in zip(lines, LINES.values(), strict=True):
        assert text in rows[line["line"] - 1]
        assert "cannot be met together with" in line["message"]


def test_what_would_do_does_and_one_step_less_does_not(in_folder, tailc):
    _, lines = told(tailc, "compile", write_toy(in_folder, SPEC), "-o", "toy")
    for line, text in zip(lines, LINES.values(), strict=True):
        (written,) = re.findall(r"[0-9]+", text)
        least = int(re.findall(r"`([0-9]+)", line["help"])[0])
        stricter = least + (1 if "or less" in line["help"] else -1)
        for value, code in ((least, 0), (stricter, 6)):
            write_toy(in_folder, SPEC.replace(text, text.replace(written, str(value))))
            assert tailc("compile", "toy.yaml", "-o", "toy").code == code, (text, value)


def test_a_latency_below_all_work_is_in_the_way_by_itself(in_folder, tailc):
    spec = write_toy(in_folder, SPEC.replace("latency: 100ms", "latency: 60ms"))
    ended = tailc("compile", spec, "-o", "toy")
    assert ended.code == 6
    assert "`slo[0].latency`: `60ms` cannot be met, even if all other lines change" in ended.err


def test_an_option_counts_as_it_does_in_the_compile(in_folder, tailc):
    spec = write_toy(in_folder, SPEC.replace(", objective: threads", ""))
    assert tailc("compile", spec, "-o", "toy").code == 0
    _, lines = told(tailc, "compile", spec, "-o", "toy", "--objective", "threads")
    assert len(lines) == 3


def test_what_replays_may_ask_for_beyond_is_said_where_a_controller_is_tuned(in_folder, tailc):
    # Alone a request takes 52.4 ms; at the rates of the spec some wait.
    spec = FINANCE.read_text().replace("latency: 70ms", "latency: 10ms")
    (in_folder / "design.parquet").write_bytes((FINANCE.parent / "design.parquet").read_bytes())
    (in_folder / "finance.yaml").write_text(spec)
    _, (line,) = told(tailc, "compile", "finance.yaml", "-o", "finance")
    least, after = line["help"].split("; ")
    assert least == "`53ms` or more would do, if all other lines stay"
    assert after == "the replays that tune the controller may require more"
    (in_folder / "finance.yaml").write_text(spec.replace("latency: 10ms", "latency: 53ms"))
    document, lines = told(tailc, "compile", "finance.yaml", "-o", "finance")
    assert (document["exit_code"], lines) == (6, [])
    assert "cannot be met at 3 of 3 rates" in document["findings"][-1]["message"]
