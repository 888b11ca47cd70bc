"""`tailc ingest`, and a profile as the trace of a spec."""

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.cli import run
from tailc.errors import Code, TailcError
from tailc.ingest.ingest import ingest
from tailc.ingest.options import InputOptions, TimeColumn
from tailc.ingest.stated_measure import StatedMeasure
from tailc.tasks.engine import LostTask
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit
from tests.tailc.cli.ingest_case import SAMPLES
from tests.tailc.toy import write_toy

BUSY = ("--measure", "demand-busy", "--column", "demand_ms", "--unit", "ms")


def ingested(folder, *arguments, name="x.profile"):
    """The exit code and the path of the profile."""
    path = folder / name
    return run(["ingest", *map(str, arguments), "-o", str(path)]), path


def table(folder, name, demands_ms):
    path = folder / name
    if name.endswith(".parquet"):
        pq.write_table(pa.table({"demand_ms": demands_ms}), path)
    elif name.endswith(".csv"):
        path.write_text("".join(f"{cell}\n" for cell in ("demand_ms", *demands_ms)))
    else:
        path.write_text("".join(f'{{"demand_ms": {cell}}}\n' for cell in demands_ms))
    return path


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson"])
def test_any_sharding_of_a_table_gives_the_same_bytes(tmp_path, suffix):
    demands_ms = np.random.default_rng(7).gamma(1.625, 144, 1_000).round(3).clip(0.001).tolist()
    whole = table(tmp_path, f"whole.{suffix}", demands_ms)
    parts = [
        table(tmp_path, f"{n}.{suffix}", demands_ms[at : at + 300])
        for n, at in enumerate((0, 300, 600, 900))
    ]
    code, one = ingested(tmp_path, whole, *BUSY, name="one.profile")
    assert code == 0
    _, all_at_once = ingested(tmp_path, *reversed(parts), *BUSY, name="all.profile")
    apart = [ingested(tmp_path, part, *BUSY, name=f"{part.name}.profile")[1] for part in parts]
    _, merged = ingested(tmp_path, *apart, name="merged.profile")
    assert one.read_bytes() == all_at_once.read_bytes() == merged.read_bytes()


def test_processes_change_no_byte(tmp_path):
    parts = [table(tmp_path, f"{n}.csv", [1.5, 20 + n, 300]) for n in range(3)]
    _, one = ingested(tmp_path, *parts, *BUSY, name="one.profile")
    code, two = ingested(tmp_path, *parts, *BUSY, "--jobs", 2, name="two.profile")
    assert code == 0
    assert one.read_bytes() == two.read_bytes()


def test_bad_input_of_another_process_is_an_error_with_its_place(tmp_path, capsys):
    good = table(tmp_path, "good.csv", [1.5])
    bad = table(tmp_path, "bad.csv", [1.5, "x"])
    code, profile = ingested(tmp_path, good, bad, *BUSY, "--jobs", 2)
    assert code == 65
    assert f"{bad}:3" in capsys.readouterr().err
    assert not profile.exists()


def test_only_files_can_be_read_by_other_processes(tmp_path, capsys):
    code, _ = ingested(tmp_path, "-", *BUSY, "--jobs", 2)
    assert code == 64
    assert "`-` is not a file, so other processes cannot read it" in capsys.readouterr().err


def test_a_missing_file_is_named_as_missing_with_other_processes(tmp_path, capsys):
    missing = str(tmp_path / "missing.csv")
    codes = [ingested(tmp_path, missing, *BUSY, *jobs)[0] for jobs in ((), ("--jobs", 2))]
    first, second = capsys.readouterr().err.split("\n\n", 1)
    assert (codes[0], first) == (codes[1], second.strip())


class _DeadWorkers:
    """An engine whose processes all die."""

    slots, warnings = 2, ()

    def run_all(self, _work, tasks, on_end):
        for number in range(len(tasks)):
            on_end(number, LostTask())
        return [LostTask()] * len(tasks)


def test_input_that_kills_its_process_is_named(tmp_path):
    path = str(table(tmp_path, "large.csv", [1.5]))
    with pytest.raises(TailcError, match="every process that read") as caught:
        ingest([path], InputOptions(), StatedMeasure(), _DeadWorkers())
    assert caught.value.findings[0].code is Code.LOST_TASK
    assert caught.value.findings[0].place.source == path


def test_progress_is_the_share_of_bytes(tmp_path):
    paths = [str(table(tmp_path, f"{n}.csv", [1.5] * n)) for n in (1, 3)]
    sizes = [Path(path).stat().st_size for path in paths]
    shares = []
    options = InputOptions(TimeUnit.MS, TimeColumn("demand_ms"))
    stated = StatedMeasure(Measure.DEMAND_BUSY)
    ingest(paths, options, stated, progress=lambda _doing, share: shares.append(share))
    assert shares == [0.0, sizes[0] / sum(sizes), 1.0]


def test_threads_and_row_groups_change_no_byte(tmp_path, monkeypatch):
    demands_ms = np.random.default_rng(7).gamma(1.625, 144, 5_000).round(3).clip(0.001)
    one = table(tmp_path, "one.parquet", demands_ms)
    many = tmp_path / "many.parquet"
    pq.write_table(pa.table({"demand_ms": demands_ms}), many, row_group_size=300)
    written = []
    for threads, path in ((1, one), (1, many), (3, many)):
        monkeypatch.setattr("tailc.ingest.counting.thread_count", lambda _wanted, n=threads: n)
        written.append(ingested(tmp_path, path, *BUSY)[1].read_bytes())
    assert written[0] == written[1] == written[2]
    buckets = json.loads(written[0])["histogram"]["buckets"]
    assert sum(count for _, count in buckets) == 5_000


def test_a_column_of_weights_counts_rows_so_often(tmp_path, capsys):
    path = tmp_path / "w.csv"
    path.write_text("demand_ms,n\n5,3\n7,1\n")
    code, weighed = ingested(tmp_path, path, *BUSY, "--weight", "n")
    plain = table(tmp_path, "plain.csv", [5, 5, 7, 5])
    assert code == 0
    assert weighed.read_bytes() == ingested(tmp_path, plain, *BUSY, name="p")[1].read_bytes()


@pytest.mark.parametrize(
    ("demands_ms", "row"), [([5, 0, 7], 2), ([5, 7, "fast"], 3), ([5, -1], 2), (["inf"], 1)]
)
def test_a_bad_cell_is_named_with_its_row(tmp_path, capsys, demands_ms, row):
    path = table(tmp_path, "bad.csv", demands_ms)
    code, out = ingested(tmp_path, path, *BUSY)
    assert code == 65
    assert not out.exists()
    assert f"bad.csv:{row + 1}, row {row}, column `demand_ms`" in capsys.readouterr().err


def test_a_bad_cell_far_into_a_table_is_named_with_its_row(tmp_path, capsys):
    path = table(tmp_path, "bad.parquet", [1.0] * 100_000 + [float("nan")] + [2.0] * 10)
    assert ingested(tmp_path, path, *BUSY)[0] == 65
    assert "bad.parquet, row 100001, column `demand_ms`" in capsys.readouterr().err


@pytest.mark.parametrize(
    "cells",
    [
        pa.array(["1.5", "2"]),
        pa.array([Decimal("1.50"), Decimal("2.00")]),
        pa.array(["1.5", "2"]).dictionary_encode(),
    ],
    ids=["text", "decimals", "dictionary"],
)
@pytest.mark.parametrize("weight", [(), ("--weight", "n")])
def test_numbers_in_a_column_of_another_type_are_counted(tmp_path, cells, weight):
    path = tmp_path / "typed.parquet"
    pq.write_table(pa.table({"demand_ms": cells, "n": ["1", "1"]}), path)
    code, found = ingested(tmp_path, path, *BUSY, *weight)
    assert code == 0
    plain = table(tmp_path, "plain.csv", [1.5, 2])
    _, expected = ingested(tmp_path, plain, *BUSY, name="p")
    counted = [json.loads(each.read_bytes())["histogram"] for each in (found, expected)]
    assert counted[0] == counted[1]


def test_numbers_that_json_has_as_text_are_counted(tmp_path):
    _, plain = ingested(tmp_path, table(tmp_path, "plain.ndjson", [5, 7]), *BUSY, name="p")
    code, found = ingested(tmp_path, table(tmp_path, "text.ndjson", [5, '"7"']), *BUSY)
    assert code == 0
    assert found.read_bytes() == plain.read_bytes()


def test_what_was_taken_for_what_is_printed(tmp_path, capsys):
    code, path = ingested(tmp_path, SAMPLES / "vegeta.csv")
    assert code == 0
    out, err = capsys.readouterr()
    assert "vegeta CSV, sent at a rate" in out
    assert "`latency` in ns, 59 requests, used as response-open" in out
    assert "TC0270" in err
    assert json.loads(path.read_text())["measure"] == "response-open"


def test_the_document_tells_origins_and_percentiles(tmp_path, capsys):
    closed = SAMPLES / "hey.csv"
    code, _ = ingested(tmp_path, closed, "--expected-interval", "2ms", "--output-format", "json")
    assert code == 0
    result = json.loads(capsys.readouterr().out)["result"]
    (origin,) = result["inputs"][0]["origins"]
    assert result["measure"] == "response-closed"
    assert origin["estimator"] == "expected-interval 2 ms"
    assert result["requests"] == origin["requests"] == 59 + origin["estimated"]
    assert [each["percentile_ppm"] for each in result["percentiles"]][:2] == [500_000, 900_000]


def test_profiles_that_measure_other_things_are_not_added(tmp_path, capsys):
    _, opened = ingested(tmp_path, SAMPLES / "vegeta.csv", name="open.profile")
    _, busy = ingested(tmp_path, table(tmp_path, "t.csv", [5]), *BUSY, name="busy.profile")
    code, _ = ingested(tmp_path, opened, busy)
    assert code == 65
    assert "TC0227" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("missing.csv",), 66),
        ((SAMPLES / "README.md",), 65),
        ((SAMPLES / "hey.csv", "--because", "no"), 64),
        ((SAMPLES / "vegeta.csv", "--because", "nothing waited while this was measured"), 64),
        ((SAMPLES / "hey.csv", "--weight", "n"), 64),
        ((SAMPLES / "hey.csv", "--column", "status-code", "--weight", "status-code"), 64),
        ((SAMPLES / "spans.pb", "--attribute", "..cpu"), 64),
        ((SAMPLES / "hey.csv", "--column", "status-code", "--attribute", "cpu"), 64),
        ((SAMPLES / "spans.pb", "--attribute", "cpu", "--with-internal"), 64),
        ((SAMPLES / "prometheus.txt", "--label", "page"), 64),
        ((SAMPLES / "hey.csv", "--column", "status-code", "--metric", "x"), 64),
        ((SAMPLES / "hey.csv", SAMPLES / "hey.csv", "--since", "x"), 64),
        (("-", "--since", "-"), 64),
        ((SAMPLES / "hey.csv", "--column", "response-time"), 65),
    ],
)
def test_each_refusal_has_its_exit_code(tmp_path, arguments, code):
    assert ingested(tmp_path, *arguments)[0] == code


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (("run.csv", "--expected-interval", "5ms"), "run.csv"),
        (("now.txt", "--since", "old.txt", "--measure", "response-open"), "old.txt"),
        (("llm.csv", "--columns", "map.yaml"), "map.yaml"),
    ],
)
@pytest.mark.parametrize("out", [str, "./{}".format, "link.profile".format])
def test_a_profile_never_replaces_what_it_is_made_from(
    tmp_path, monkeypatch, capsys, arguments, kept, out
):
    monkeypatch.chdir(tmp_path)
    maps = Path(__file__).parents[3] / "examples" / "maps"
    copies = {
        "run.csv": SAMPLES / "hey.csv",
        "now.txt": SAMPLES / "prometheus.txt",
        "old.txt": SAMPLES / "prometheus.earlier.txt",
        "map.yaml": maps / "azure-llm.yaml",
    }
    for name, original in copies.items():
        Path(name).write_bytes(original.read_bytes())
    Path("llm.csv").write_text("ContextTokens,GeneratedTokens\n1,2\n")
    Path("link.profile").symlink_to(kept)
    before = Path(kept).read_bytes()
    assert run(["ingest", *arguments, "-o", out(kept)]) == 64
    assert "command: give another file" in capsys.readouterr().err
    assert Path(kept).read_bytes() == before


def test_a_profile_grows_in_its_place(tmp_path):
    _, path = ingested(tmp_path, SAMPLES / "vegeta.csv")
    assert ingested(tmp_path, path, SAMPLES / "vegeta.csv")[0] == 0
    assert json.loads(path.read_bytes())["origins"][0]["requests"] == 118


@pytest.mark.parametrize(
    "option",
    [("--unit", "s"), ("--label", "a=b"), ("--expected-interval", "1ms"), ("--column", "x")],
)
def test_what_profiles_cannot_take_is_refused(tmp_path, capsys, option):
    _, path = ingested(tmp_path, SAMPLES / "vegeta.csv")
    before = path.read_bytes()
    assert ingested(tmp_path, path, *option)[0] == 64
    assert "every INPUT is a profile" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_standard_output_is_no_profile(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["ingest", str(SAMPLES / "vegeta.csv"), "-o", "-"]) == 64
    assert not list(tmp_path.iterdir())


def spec_of_profile(folder, **changes):
    """The spec of the toy, of a profile of its trace, with lines of `demand` changed."""
    toy = Path(write_toy(folder))
    ingested(folder, folder / "toy.csv", *BUSY, name="toy.profile")
    demand = {"trace": "toy.profile", "measure": "demand-busy", "reference": "one thread"} | changes
    text = toy.read_text()
    start, end = text.index("demand:"), text.index("speedup:")
    lines = "".join(f"  {key}: {value}\n" for key, value in demand.items() if value)
    toy.write_text(f"{text[:start]}demand:\n{lines}{text[end:]}")
    return toy


def test_a_spec_compiles_from_a_profile_as_from_its_rows(tmp_path):
    rows = write_toy(tmp_path)
    assert run(["compile", rows, "-o", str(tmp_path / "rows")]) == 0
    assert run(["compile", str(spec_of_profile(tmp_path)), "-o", str(tmp_path / "counted")]) == 0
    of_rows, counted = (
        json.loads((tmp_path / f"{n}.json").read_text()) for n in ("rows", "counted")
    )
    assert counted["forms"] == of_rows["forms"]
    assert "`demand_ms` of a column of CSV" in counted["reading"]["note"]


def test_a_policy_is_judged_on_a_profile(tmp_path, capsys):
    assert run(["compile", str(spec_of_profile(tmp_path)), "-o", str(tmp_path / "toy")]) == 0
    held = table(tmp_path, "held.csv", [51, 149, 151, 49])
    _, profile = ingested(tmp_path, held, *BUSY, name="held.profile")
    policy = str(tmp_path / "toy.tailc")
    assert run(["verify", policy, "--trace", str(profile), "--baselines", "seq"]) in (0, 1, 4)
    assert "4 held-out requests" in capsys.readouterr().out
    assert run(["verify", policy, "--trace", str(tmp_path / "toy.profile")]) == 65


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"unit": "ms"}, "`demand.unit` has no"),
        ({"column": "demand_ms"}, "`demand.column` has no"),
        ({"held_out": "20%"}, "`demand.held_out` has no"),
        ({"measure": "demand-cpu"}, "the profile measures `demand-busy`"),
        ({"measure": None}, "`demand.measure` is missing"),
    ],
)
def test_a_spec_may_not_say_of_a_profile_what_it_says_itself(tmp_path, capsys, changes, words):
    spec = spec_of_profile(tmp_path, **changes)
    assert run(["check", "--with-trace", str(spec)]) == 65
    assert words in capsys.readouterr().err


def test_a_file_that_is_no_profile_is_refused(tmp_path, capsys):
    spec = spec_of_profile(tmp_path)
    (tmp_path / "toy.profile").write_text("demand_ms\n5\n")
    assert run(["check", "--with-trace", str(spec)]) == 65
    assert "` is not a profile, or was truncated" in capsys.readouterr().err


def test_a_unit_that_the_input_contradicts_is_refused(tmp_path, capsys):
    code, path = ingested(
        tmp_path, SAMPLES / "oha.csv", "--unit", "ms", "--measure", "response-open"
    )
    said = capsys.readouterr().err
    assert code == 64
    assert "whose times are in `s`, not in `ms`" in said
    assert not path.exists()
    assert (
        ingested(tmp_path, SAMPLES / "oha.csv", "--unit", "s", "--measure", "response-open")[0] == 0
    )


@pytest.mark.parametrize("again", ["a.csv", "./a.csv", "link.csv"])
def test_a_file_that_is_given_twice_is_refused(in_folder, tailc, again):
    table(in_folder, "a.csv", [1.0, 2.0])
    (in_folder / "link.csv").symlink_to("a.csv")
    ended = tailc("ingest", "a.csv", again, *BUSY, "-o", "x.profile")
    assert (ended.code, Path("x.profile").exists()) == (64, False)
    assert "`a.csv` is given twice, so its requests would count twice:" in ended.err


def test_one_request_is_one_request(tmp_path, capsys):
    ingested(tmp_path, table(tmp_path, "one.csv", [5]), *BUSY)
    said = capsys.readouterr().out
    assert "1 request, used as demand-busy" in said
    assert "1 requests" not in said


@pytest.mark.parametrize(
    ("share", "said"),
    [
        ("0%", "`0%` must be more than zero"),
        ("100%", "`100%` must be less than 100%"),
        ("200%", "`200%` must be less than 100%"),
    ],
)
@pytest.mark.parametrize("words", [("ingest", "-o", "x.profile"), ("lint-trace",)])
def test_a_percentile_lies_between_none_and_all(in_folder, tailc, words, share, said):
    command, *rest = words
    (in_folder / "few.csv").write_text("demand_ms\n1\n2\n")
    ended = tailc(command, "few.csv", *rest, "--percentile", share)
    assert ended.code == 64
    assert said in " ".join(ended.err.split())


@pytest.mark.parametrize("unit", ["", "ms"])
def test_executions_that_are_ingested_as_requests_are_warned_of(in_folder, tailc, unit):
    rows = [
        f"x{at},{on},{(20 + 9 * at) / on**0.5:.6f}{unit}" for at in range(12) for on in (1, 2, 4)
    ]
    (in_folder / "t.csv").write_text("\n".join(["blob,lanes,took_ms", *rows, ""]))
    ended = tailc("ingest", "t.csv", "--column", "took_ms", *BUSY[:2], "-o", "p")
    assert (ended.code, "warning[TC1507]" in ended.err) == (0, True)
