"""tailc lookup, and inspect, of a plan."""

from __future__ import annotations

import json

import pytest

from tests.tailc.artifact.published import VECTORS
from tests.tailc.cli.json_schemas import OUTPUT
from tests.tailc.schemas import validate

RACKS, CLUSTER = VECTORS / "plan", VECTORS / "plan-cluster"
AT = ("--at", "2012-06-01T14:05:00Z")


@pytest.fixture
def result(tailc):
    def ask(*words):
        ended = tailc("lookup", *words, "--output-format", "json")
        document = json.loads(ended.out)
        validate(document, OUTPUT)
        assert ended.code == 0
        return document["result"]

    return ask


def test_a_moment_tells_what_feeds_each_pool_and_what_is_free(tailc, result):
    """Epoch 8: all racks are green; 20 of 24, 4 of 8, 10 of 16 and 4 of 8 servers are busy."""
    told = result(RACKS, *AT)
    assert (told["epoch"], told["first_unix_s"]) == (8, 1_338_552_000 + 8 * 900)
    assert [(one["source"], one["free"]) for one in told["pools"]] == [
        ("green", 4), ("green", 4), ("green", 6), ("green", 4)
    ]  # fmt: skip
    assert tailc("lookup", RACKS, *AT).out.splitlines() == [
        "epoch 8 of 16, 2012-06-01T14:00Z to 2012-06-01T14:15Z",
        "pool       source  free  of   price",
        "racks 1-3  green      4  24   $0.03",
        "rack 4     green      4   8  $0.005",
        "racks 5-6  green      6  16  $0.055",
        "rack 7     green      4   8  $0.045",
    ]


def test_a_moment_tells_what_the_battery_does_and_holds(tailc, result):
    battery = VECTORS / "plan-battery"
    assert result(battery, *AT)["battery"] == {"battery_mj": 25_200_000, "stored_mj": 21_501_068}
    told = tailc("lookup", battery, "--at", "2012-06-01T15:05:00Z").out
    assert told.endswith(
        "the battery discharges 0.005973 kWh, and stores 0 kWh of 1 kWh at the end of the epoch\n"
    )
    for words in ((RACKS, *AT), (battery, *AT, "--pool", "old"), (battery, *AT, "--job", "grows")):
        assert "battery" not in result(*words)


def test_times_in_any_zone_are_the_same_moment(result):
    there = result(RACKS, "--at", "2012-06-01T08:05:00-06:00", "--pool", "rack 4")
    assert there == result(RACKS, *AT, "--pool", "rack 4")
    assert [one["name"] for one in there["pools"]] == ["rack 4"]


def test_a_job_has_its_places_at_a_moment(tailc, result):
    told = result(RACKS, *AT, "--job", "render/7")
    assert [(one["pool"], one["servers"]) for one in told["places"]] == [("rack 4", 4),
                                                                        ("rack 7", 4)]  # fmt: skip
    text = tailc("lookup", RACKS, "--at", "2012-06-01T12:00:00Z", "--job", "render/7").out
    assert text.endswith("render/7: no servers\n")


def test_another_job_is_priced(tailc, result):
    """24 server-epochs, 12 of them promised: 12 * 7.25 and 12 * 6 cents."""
    asks = (RACKS, *AT, "--width", "6", "--epochs", "4", "--green", "50%")
    told = result(*asks)["quote"]
    assert told["is_admitted"]
    assert told["price_udollars"] == 1_590_000
    placed = sum(one["servers"] * one["epochs"] for one in told["places"])
    assert placed == 24
    assert "admitted: it pays $1.59, its places are worth $0.26" in tailc("lookup", *asks).out


def test_a_job_without_room_is_told_where(tailc, result):
    """In epoch 8 18 servers are free, and in the last 28."""
    asks = (RACKS, *AT, "--width", "19", "--epochs", "8")
    assert result(*asks)["quote"]["places"] is None
    assert "no room: in epoch 8 18 of 56 servers are free" in tailc("lookup", *asks).out


@pytest.mark.parametrize(("plan", "last_hour"), [(RACKS, 15), (CLUSTER, 23)])
def test_a_job_that_ends_after_the_plan_is_told_what_is_priced(tailc, result, plan, last_hour):
    last = ("--at", f"2012-06-01T{last_hour}:45:00Z", "--width", "2")
    said = "the plan ends after 1 of the job's 20 epochs: no later ones are priced\n"
    assert tailc("lookup", plan, *last, "--epochs", "20").out.endswith(said)
    found = result(plan, *last, "--epochs", "20")
    assert found.get("quote", found)["epochs_in_plan"] == 1
    assert "ends after" not in tailc("lookup", plan, *last, "--epochs", "1").out


def test_a_job_that_pays_too_little_is_refused(tailc):
    asks = ("--width", "15", "--epochs", "4", "--green", "100%")
    told = tailc("lookup", RACKS, "--at", "2012-06-01T15:00:00Z", *asks).out
    assert "refused: it pays only" in told


def test_the_cheapest_width_of_a_malleable_job_is_told(tailc, result):
    asks = (CLUSTER, *AT, "--width", "6", "--epochs", "4", "--width", "2", "--epochs", "9")
    told = result(*asks)
    assert told["width"] == 2
    assert sum(one["servers"] * one["epochs"] for one in told["places"]) == 18
    assert "2 servers cost least" in tailc("lookup", *asks).out
    assert result(CLUSTER, *AT, "--width", "13", "--epochs", "1")["width"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--at", "2012-06-01T14:05:00"), "has no time zone: add `Z` for UTC"),
        (("--at", "noon"), "`noon` is not a time"),
        (("--at", "2013-01-01T00:00Z"), "it covers 2012-06-01T12:00Z"),
        ((), "it covers 2012-06-01T12:00Z"),
        ((*AT, "--job", "render"), "did you mean `render/7`?"),
        ((*AT, "--pool", "rack 5"), "did you mean `rack 7`?"),
        ((*AT, "--job", "render/7", "--pool", "rack 7"), "--job and --pool are different"),
        ((*AT, "--width", "3"), "each `--width` needs `--epochs`,"),
        ((*AT, "--epochs", "3"), "the price of a job needs `--width`"),
        ((*AT, "--green", "3%"), "the price of a job needs `--width`"),
        ((*AT, "--width", "1", "--epochs", "1", "--width", "2", "--epochs", "1"), "on one width:"),
        ((*AT, "--age", "5ms"), "this artifact is a plan: --age does not apply"),
        ((*AT, "--width", "1", "--epochs", "1", "--green", "101%"), "from 0 % to 100 %"),
    ],
)
def test_what_does_not_fit_is_refused(tailc, words, said):
    ended = tailc("lookup", RACKS, *words)
    assert ended.code == 64
    assert said in " ".join(ended.err.split())


def test_a_malleable_job_is_promised_nothing(tailc):
    ended = tailc("lookup", CLUSTER, *AT, "--width", "1", "--epochs", "1", "--green", "5%")
    assert "this plan has no green energy in its SLA: --green does not apply" in " ".join(
        ended.err.split()
    )


@pytest.mark.parametrize("vector", ["lucene", "shares", "tails"])
def test_only_a_plan_is_by_time(tailc, vector):
    ended = tailc("lookup", VECTORS / vector, *AT)
    assert ended.code == 64
    assert "this artifact is not a plan: --at does not apply" in ended.err


def test_inspect_tells_the_horizon_the_energy_the_pools_and_the_jobs(tailc):
    told = tailc("inspect", RACKS).out
    for part in (
        "horizon     2012-06-01T12:00Z to 2012-06-01T16:00Z, 16 epochs of 15 min",
        "pays $0.0725 promised green, else $0.06; $0.125 goes back",
        "2012-06-01T12:00Z  ..114455##55441.        1133556666555555",
        "render/7       2012-06-01T12:30Z      14    112        28     76  2-15: 4 of rack 4; ",
    ):
        assert part in told
    assert "$/kWh" not in told
    rows = tailc("inspect", RACKS, "--rows").out
    assert rows.startswith(told.rstrip())
    assert "    8  2012-06-01T14:00Z       2.31  0.1055    384     1.343    38" in rows


@pytest.mark.parametrize("path", sorted(VECTORS.glob("plan*.tailc")), ids=lambda path: path.stem)
def test_every_plan_is_inspected_and_its_json_is_the_policy(tailc, path):
    ended = tailc("inspect", path, "--rows")
    assert (ended.code, ended.err) == (0, "")
    document = json.loads(tailc("inspect", path, "--output-format", "json").out)
    validate(document, OUTPUT)
    assert document["result"]["policy"] == json.loads(path.with_suffix(".json").read_bytes())
