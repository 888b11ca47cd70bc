"""tailc size colocation, on servers whose supply curve has a closed form.

Two cores have 2,000 requests a second of 200 us at 2.4 GHz, half of it memory time, so they are
busy for 20 % of the time there and 30 % at 1.2 GHz. Beside them the server draws 8 W. Batch work
goes with the clock.
"""

import json
from pathlib import Path

import pytest

from tests.tailc.schemas import validate
from tests.tailc.texts import swapped

ROOT = Path(__file__).parents[3]
SCHEMAS = ROOT / "schemas" / "report"
ROWS = "cycles,memory_us\n" + "240000,100\n" * 200
HIGH = "{frequency: 2.4GHz, power: 6W}"
LOW = "{frequency: 1.2GHz, power: 2W}"
SPEC = """\
apiVersion: tailc/v1
kind: rubik
name: toy
slo: [{percentile: 95%, latency: 3ms}]
demand:
  trace: toy.csv
  cycles: cycles
  clock: 2.4GHz
  memory: memory_us
  unit: us
  reference: a core
server:
  cores: 2
  levels: [LEVELS]
  sleep: {power: 0.1W, wake: 20us}
  uncore: 3W
  rest: 5W
batch: {memory: 0%, powers: [POWERS]}
feedback: off
rates: [2000/s]
"""
RATIOS = ("--total", "100", "--ratios", "100:0,75:25,50:50,0:100")


@pytest.fixture
def folder(in_folder):
    (in_folder / "toy.csv").write_text(ROWS)
    write(in_folder, "one", HIGH, "4W")
    write(in_folder, "two", f"{LOW}, {HIGH}", "1W, 40W")
    return in_folder


def write(folder, name, levels, powers, *changes):
    spec = SPEC.replace("LEVELS", levels).replace("POWERS", powers)
    (folder / f"{name}.yaml").write_text(swapped(spec, *changes))


def result(ended):
    assert ended.code == 0, ended.err
    return json.loads(ended.out)["result"]


def sized(tailc, name, *words):
    return result(tailc("size", "colocation", f"{name}.yaml", *words, "--output-format=json"))


def test_a_quarter_of_batch_servers_is_a_third_on_each_other_one_and_all_are_saved(folder, tailc):
    """75:25 of 100 servers (Bartolini, 2015, section 3.6.1): 25 % fewer servers."""
    fleet = sized(tailc, "one", *RATIOS)["fleets"][1]
    assert fleet["work"] == pytest.approx(1 / 3, abs=1e-6)
    assert (fleet["dedicated"], fleet["servers"], fleet["separate"]["servers"]) == (0, 75, 100)
    # 10.56 W without batch work and 16.8 W with 0.8 of it; a dedicated server draws 16 W.
    assert fleet["power_mw"] == pytest.approx(75 * (10_560 + 6_240 / 0.8 / 3), abs=1)
    assert fleet["separate"]["power_mw"] == 75 * 10_560 + 25 * 16_000


def test_half_of_batch_servers_at_a_knee_of_0_8_leaves_ten_and_saves_40_percent(folder, tailc):
    """50:50 of 100 servers (the same): 50 * 0.8 = 40 of batch work, 10 dedicated, 60 in all."""
    found = sized(tailc, "one", *RATIOS)
    assert found["curve"][found["knee"]]["work"] == 0.8
    fleet = found["fleets"][2]
    assert (fleet["work"], fleet["dedicated"], fleet["servers"]) == (0.8, 10, 60)
    assert fleet["power_mw"] == 50 * 16_800 + 10 * 16_000


def test_without_batch_work_or_without_requests_nothing_is_saved(folder, tailc):
    fleets = sized(tailc, "one", *RATIOS)["fleets"]
    for fleet in (fleets[0], fleets[3]):
        assert fleet["servers"] == fleet["separate"]["servers"] == 100
        assert fleet["power_mw"] == fleet["separate"]["power_mw"]


def test_the_knee_is_where_a_dedicated_server_draws_less(folder, tailc):
    """A dedicated one does a unit for 10 W at 1.2 GHz. Beside requests at 1.2 GHz 0.7 of it takes
    1.26 W more than none, and requests at 2.4 GHz leave 0.1 more for 1.4 W: 14 W a unit.
    """
    found = sized(tailc, "two", "--servers", "10", "--batch", "9")
    assert found["dedicated"] == {"frequency_khz": 1_200_000, "power_mw": 10_000, "work_per_s": 1}
    assert found["curve"][:3] == [
        {"work": 0, "power_mw": 9_340, "requests_khz": 1_200_000, "batch_khz": None},
        {"work": 0.7, "power_mw": 10_600, "requests_khz": 1_200_000, "batch_khz": 1_200_000},
        {"work": 0.8, "power_mw": 12_000, "requests_khz": 2_400_000, "batch_khz": 1_200_000},
    ]
    assert found["knee"] == 1
    (fleet,) = found["fleets"]
    assert (fleet["work"], fleet["dedicated"], fleet["servers"]) == (0.7, 2, 12)


@pytest.mark.parametrize("rate", ["100/s", "2000/s", "6000/s"])
def test_a_servers_own_most_efficient_pair_is_never_short_of_the_knee(folder, tailc, rate):
    """With all power counted: P / th >= (S / (1 - u) + c P_b) / c T, no less than P_batch by unit,
    and the marginal power beyond the pair is no less than that.
    """
    write(folder, "rate", f"{LOW}, {HIGH}", "1W, 4W", ("2000/s", rate))
    found = sized(tailc, "rate", "--servers", "1", "--batch", "1")
    assert found["curve"][found["knee"]]["work"] <= found["efficient"]["work"]


def climbing(folder, name, levels, powers):
    """The search is told in the batch section."""
    write(folder, name, levels, powers, ("batch: {", "batch: {search: hill-climbing, "))


def test_climbing_ends_at_the_enumerated_pair_where_powers_are_smooth(folder, tailc):
    grid = [0.8 + 0.2 * step for step in range(14)]
    levels = ", ".join(f"{{frequency: {f:.1f}GHz, power: {f**2:.3f}W}}" for f in grid)
    powers = ", ".join(f"{0.8 * f**2:.3f}W" for f in grid)
    write(folder, "smooth", levels, powers)
    climbing(folder, "climbed", levels, powers)
    all_pairs, climbed = (
        sized(tailc, name, "--servers", "3", "--batch", "1") for name in ("smooth", "climbed")
    )
    assert (all_pairs.pop("search"), climbed.pop("search")) == ("enumeration", "hill-climbing")
    assert climbed == all_pairs


def test_climbing_may_end_short_of_the_best_pair_and_says_so(folder, tailc):
    levels = f"{LOW}, {{frequency: 2GHz, power: 5W}}, {HIGH}"
    write(folder, "stepped", levels, "0.6W, 90W, 91W")
    climbing(folder, "climbed", levels, "0.6W, 90W, 91W")
    best, climbed = (
        sized(tailc, name, "--servers", "3", "--batch", "1") for name in ("stepped", "climbed")
    )
    assert best["efficient"]["batch_khz"] == 1_200_000
    assert climbed["efficient"]["batch_khz"] == 2_400_000
    # The curve is of all pairs whatever the search.
    assert climbed["curve"] == best["curve"]
    text = tailc("size", "colocation", "climbed.yaml", "--servers", "3", "--batch", "1").out
    assert "with requests, by hill climbing:" in text


def test_requests_run_no_lower_than_their_bound_allows(folder, tailc):
    # Requests that never meet take 300 us at 1.2 GHz.
    strict = ("latency: 3ms", "latency: 250us"), ("[2000/s]", "[1/s]")
    write(folder, "strict", f"{LOW}, {HIGH}", "1W, 40W", *strict)
    found = sized(tailc, "strict", "--servers", "1", "--batch", "1")
    assert found["tail_khz"] == 2_400_000
    assert {corner["requests_khz"] for corner in found["curve"]} == {2_400_000}


def test_a_bound_that_is_missed_beside_other_requests_is_told_where_it_stands(folder, tailc):
    write(folder, "strict", f"{LOW}, {HIGH}", "1W, 40W", ("latency: 3ms", "latency: 201us"))
    ended = tailc("size", "colocation", "strict.yaml", "--servers", "1", "--batch", "1")
    assert ended.code == 6
    assert "strict.yaml:4:" in ended.err
    assert "is missed at 2000/s even at 2.4 GHz" in ended.err


def test_the_document_is_as_its_schemas_say(folder, tailc):
    document = json.loads(
        tailc("size", "colocation", "two.yaml", *RATIOS, "--output-format", "json").out
    )
    for name, part in (("output-1", document), ("size-colocation-1", document["result"])):
        validate(part, json.loads((SCHEMAS / f"{name}.schema.json").read_text()))
    assert document["command"] == "size colocation"


def test_the_tables_for_people_tell_knee_and_savings(folder, tailc):
    text = tailc("size", "colocation", "one.yaml", *RATIOS).out
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "0.800 16.8 W 7.8 2.4 GHz 2.4 GHz knee" in lines
    assert "50 50 0.800 10 60 100 40.0% 1.000 kW 1.328 kW 24.7%" in lines
    markdown = tailc("size", "colocation", "one.yaml", *RATIOS, "--output-format=markdown").out
    assert markdown.startswith("###")
    assert sum(line.startswith("| ---") for line in markdown.splitlines()) == 2


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_picture_has_the_same_bytes_each_time(folder, tailc, suffix):
    for name in ("a", "b"):
        plot = f"{name}.{suffix}"
        assert tailc("size", "colocation", "two.yaml", *RATIOS, "--picture", plot).code == 0
    written = [(folder / f"{name}.{suffix}").read_bytes() for name in ("a", "b")]
    assert written[0] == written[1]
    assert len(written[0]) > 5_000


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("--total", "100"), "--ratios"),
        (("--servers", "1"), "--batch"),
        (("--servers", "1", "--batch", "1", "--total", "2"), "--total"),
        (("--total", "100", "--ratios", "50"), "`50`"),
        (("--total", "100", "--ratios", "0:0"), "`0:0`"),
        (("--total", "100", "--ratios", "1:-1"), "`1:-1`"),
        (("--servers", "0", "--batch", "1"), "--servers"),
        (("--servers", "1", "--batch", "-1"), "--batch"),
        (("--servers", "1", "--batch", "nan"), "--batch"),
        ((*RATIOS, "--picture", "o.gif"), "`.svg` nor `.png`"),
    ],
)
def test_a_wrong_option_is_named(folder, tailc, words, wrong):
    ended = tailc("size", "colocation", "one.yaml", *words)
    assert ended.code == 64
    assert wrong in ended.err


def test_a_spec_without_batch_work_is_refused(folder, tailc):
    write(folder, "none", HIGH, "4W", ("batch: {memory: 0%, powers: [4W]}\n", ""))
    ended = tailc("size", "colocation", "none.yaml", *RATIOS)
    assert ended.code == 65
    assert "none.yaml:3:" in ended.err
    assert "is no batch work" in ended.err


FEW_TO_MANY = """\
apiVersion: tailc/v1
kind: few-to-many
name: threads
slo: [{percentile: 95%, latency: 45ms}]
demand: {trace: toy.csv, column: cycles, unit: us, measure: demand-busy, reference: a core}
speedup: [1, 1.5]
server: {cores: 4, target_parallelism: 4}
rates: [1/s]
"""


def test_a_kind_without_clocks_is_refused_where_it_stands(folder, tailc):
    (folder / "threads.yaml").write_text(FEW_TO_MANY)
    ended = tailc("size", "colocation", "threads.yaml", *RATIOS)
    assert ended.code == 65
    assert "threads.yaml:2:7" in ended.err
    assert "few-to-many" in ended.err


def test_a_kind_without_requests_is_refused_where_it_stands(tailc):
    spec = ROOT / "examples" / "autopro" / "service.yaml"
    ended = tailc("size", "colocation", spec, *RATIOS)
    assert ended.code == 65
    assert "` cannot share cores with batch work" in ended.err
    assert "give a spec of kind `rubik`, whose demand is cycles" in ended.err
