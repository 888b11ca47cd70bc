from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tailc.errors import Code
from tailc.specs.json_schema import spec_schema
from tailc.specs.load import open_spec
from tailc.specs.slo import Slo
from tests.tailc.specs.writing import GOOD, MODELS, checked, findings_of, swapped, written_to


def test_a_good_spec_holds_whole_numbers(tmp_path: Path) -> None:
    assert open_spec(written_to(tmp_path, GOOD), MODELS).model == checked(GOOD)
    good = checked(GOOD)
    assert good.name == "websearch-isn"
    assert good.slo[0].slo == Slo(percentile_ppm=990_000, latency_us=500_000)
    assert good.speedup is not None
    assert good.speedup.source.shared_curve == (1_000_000, 1_900_000, 2_650_000, 3_200_000)
    assert good.server.targets_ppm == (24_000_000,)
    assert good.server.quantum_us == 5_000
    assert good.rates_mrps == (30_000, 40_000, 44_000)


def test_what_is_left_out_has_the_documented_defaults() -> None:
    spec = checked(swapped((", quantum: 5ms", ""), ("rates: [30/s, 40/s, 44/s]\n", "")))
    assert spec.server.quantum_us == 5_000
    assert spec.server.boosting is True
    assert spec.server.age_clock == "execution"
    assert spec.search.method_at(spec.rates_mrps) == "grid"
    assert (spec.search.objective, spec.search.admit_on_departure) == ("tail", True)
    assert spec.rates_mrps == ()


def test_a_spec_never_changes() -> None:
    with pytest.raises(ValidationError):
        checked(GOOD).name = "other"


@pytest.mark.parametrize(
    ("window", "requests", "duration_us"),
    [("2000 requests", 2_000, None), ("1 request", 1, None), ("30s", None, 30_000_000)],
)
def test_a_window_counts_requests_or_time(
    window: str, requests: int | None, duration_us: int | None
) -> None:
    slo = checked(swapped(("latency: 500ms", f"latency: 500ms, window: {window}"))).slo[0].slo
    assert (slo.window_requests, slo.window_us) == (requests, duration_us)


def test_several_slos_keep_their_order() -> None:
    second = "{percentile: 99.9%, latency: 2s}"
    spec = checked(swapped(("latency: 500ms}]", "latency: 500ms}, " + second + "]")))
    assert [slo.slo.latency_us for slo in spec.slo] == [500_000, 2_000_000]


@pytest.mark.parametrize(
    ("written", "targets_ppm"),
    [("24", (24_000_000,)), ("[16, 20.5]", (16_000_000, 20_500_000))],
)
def test_target_parallelism_is_one_number_or_a_sweep(
    written: str, targets_ppm: tuple[int, ...]
) -> None:
    spec = checked(swapped(("target_parallelism: 24", f"target_parallelism: {written}")))
    assert spec.server.targets_ppm == targets_ppm


@pytest.mark.parametrize(
    "reason", ["the load was one request at a time", "nothing ever waited here"]
)
def test_a_response_time_is_demand_for_a_stated_reason(reason: str) -> None:
    text = f"measure: response-closed\n  response_time_because: {reason}"
    assert checked(swapped(("measure: demand-busy", text))).demand.response_time_because == reason


def test_a_refused_response_time_has_its_own_code() -> None:
    (finding,) = findings_of(swapped(("demand-busy", "response-open")))
    assert finding.code is Code.RESPONSE_TIME


def test_a_response_time_is_told_together_with_everything_else() -> None:
    broken = swapped(("demand-busy", "response-open"), ("  unit: ms", "  unit: msec"))
    assert [finding.code for finding in findings_of(broken)] == [
        Code.BAD_VALUE,
        Code.RESPONSE_TIME,
    ]


def test_cells_in_where_are_the_text_a_trace_would_print() -> None:
    cells = "shard: 3, v: 2.0, ratio: 1.50, tiny: 1e-5, region: eu, warm: true, id: '007'"
    where = f"where: {{{cells}}}\n  unit: ms"
    assert checked(swapped(("unit: ms", where))).demand.where == {
        "shard": "3",
        "v": "2",
        "ratio": "1.5",
        "tiny": "1e-05",
        "region": "eu",
        "warm": "true",
        "id": "007",
    }


def test_a_budget_beyond_what_an_artifact_holds_is_refused() -> None:
    assert checked(GOOD + f"search: {{max_evaluations: {2**53 - 1}}}\n").search.max_evaluations
    (finding,) = findings_of(GOOD + f"search: {{max_evaluations: {10**21}}}\n")
    assert finding.code is Code.BAD_VALUE
    assert "must be at most 9,007,199,254,740,991" in finding.message


def test_every_whole_number_of_a_spec_has_a_largest_value() -> None:
    def unbounded(schema: Any, name: str) -> list[str]:
        if isinstance(schema, list):
            return [found for part in schema for found in unbounded(part, name)]
        if not isinstance(schema, dict):
            return []
        found = [name] if schema.get("type") == "integer" and "maximum" not in schema else []
        return found + [f for key, part in schema.items() for f in unbounded(part, key)]

    assert unbounded(spec_schema(MODELS["few-to-many"]), "spec") == []


def test_findings_come_in_the_order_of_the_file() -> None:
    broken = swapped(("99%", "99"), ("unit: ms", "unit: msec"), ("cores: 15", "cores: 0"))
    lines = [finding.place and finding.place.line for finding in findings_of(broken)]
    assert lines == [5, 9, 13]


def test_a_misspelled_key_is_not_also_a_missing_key() -> None:
    codes = [finding.code for finding in findings_of(swapped(("latency:", "latncy:")))]
    assert codes == [Code.UNKNOWN_KEY]


def test_a_list_whose_entries_are_refused_is_not_also_empty() -> None:
    codes = [finding.code for finding in findings_of(swapped(("latency: 500ms", "latency: 500")))]
    assert codes == [Code.MISSING_UNIT]


def test_an_unknown_kind_and_an_old_language_are_told_together() -> None:
    broken = swapped(("tailc/v1", "tailc/v0"), ("few-to-many", "many-to-few"))
    assert [finding.code for finding in findings_of(broken)] == [Code.UNKNOWN_KIND] * 2


def test_a_loaded_spec_says_where_its_values_are(tmp_path: Path) -> None:
    path = written_to(tmp_path, GOOD)
    place = open_spec(path, MODELS).place("demand", "trace")
    assert str(place) == f"{path}:7:10"
    assert place.width == len("traces/design.parquet")


def test_a_value_behind_an_alias_is_refused_where_it_is_written() -> None:
    broken = swapped(("[{percentile: 99%, latency: 500ms}]", "[{percentile: &p 99, latency: 1s}]"))
    broken = broken.replace("]\ndemand", ", {percentile: *p, latency: 2s}]\ndemand", 1)
    places = [str(finding.place) for finding in findings_of(broken)]
    assert places == ["service.yaml:5:20", "service.yaml:5:20"]


def test_errors_between_keys_are_told_beside_errors_of_other_keys() -> None:
    text = swapped(
        ("speedup: [1, 1.9, 2.65, 3.2]\n", ""),
        ("rates: [30/s, 40/s, 44/s]", "rates: [30/s, 30/s]"),
        ("cores: 15", "cores: 0"),
    )
    assert sorted(finding.code.ident for finding in findings_of(text)) == [
        "TC0103",  # no speed-up
        "TC0104",  # no cores
        "TC0104",  # a rate that stands twice
    ]


def test_a_check_between_keys_waits_for_the_keys_it_reads() -> None:
    # Whether speed-ups are missing depends on `demand`, which is wrong itself.
    text = swapped(("speedup: [1, 1.9, 2.65, 3.2]\n", ""), ("  unit: ms", "  unit: hours"))
    assert [finding.code.ident for finding in findings_of(text)] == ["TC0104"]
