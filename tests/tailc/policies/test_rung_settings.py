"""Rungs state what a server sets for a request, in the artifacts of all kinds that have rungs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tailc.artifact.files import read_policy
from tailc.cli.inspect_command import command as inspect
from tailc.forms.ladder.settings import settings_text
from tailc.forms.ladder.table import Lane, Rung
from tailc.policies.joint_ladder.rungs import combinations, lane_combinations
from tailc.specs.cores import Cores, CoreType, PowerUnit
from tests.tailc.artifact.published import ROOT, policy_of

PPM = 1_000_000
EXAMPLES = ROOT / "examples"


def rungs_of(example: str) -> tuple[Rung, ...]:
    (ladder,) = read_policy(EXAMPLES / example / "expected.tailc").ladders
    return ladder.rungs


@pytest.mark.parametrize(("example", "threads"), [("search", 2), ("bing-fm", 3), ("lucene-fm", 4)])
def test_few_to_many_states_threads_alone(example: str, threads: int) -> None:
    rungs = rungs_of(example)
    assert [rung.threads for rung in rungs] == list(range(1, threads + 1))
    assert {(r.frequency_khz, r.core_type, r.lane, r.one_thread_ppm) for r in rungs} == {
        (None, None, None, None)
    }


@pytest.mark.parametrize("example", ["finance", "lucene-as2f"])
def test_slow_to_fast_states_types_of_cores(example: str) -> None:
    rungs = rungs_of(example)
    assert [(rung.core_type, rung.threads) for rung in rungs] == [("slow", None), ("fast", None)]


def test_elfen_states_lanes() -> None:
    assert [rung.lane for rung in rungs_of("elfen")] == [Lane.SHARED, Lane.ALONE]


def test_a_joint_ladder_states_threads_frequency_and_the_speed_of_one_thread() -> None:
    rungs = rungs_of("joint")
    first, last = rungs[0], rungs[-1]
    assert (first.threads, first.frequency_khz, first.one_thread_ppm) == (1, 1_700_000, PPM // 2)
    assert (last.threads, last.frequency_khz, last.one_thread_ppm) == (4, 3_400_000, PPM)
    # The published speed-ups of 1 to 4 threads, at any frequency.
    gain_ppm = {1: PPM, 2: 1_900_000, 3: 2_650_000, 4: 3_200_000}
    for rung in rungs:
        assert rung.one_thread_ppm is not None
        assert rung.threads is not None
        assert rung.speed_ppm == rung.one_thread_ppm * gain_ppm[rung.threads] // PPM


def cores(*types: CoreType, is_in_place: bool) -> Cores:
    return Cores(types, is_in_place=is_in_place, unit=PowerUnit.WATT)


def test_one_thread_of_a_combination_has_the_speed_of_its_level_or_type() -> None:
    slow, fast = CoreType("slow", 2, PPM, PPM), CoreType("fast", 2, 1_500_000, 3 * PPM)
    for is_in_place in (True, False):
        made = combinations(cores(slow, fast, is_in_place=is_in_place), [PPM, 1_800_000])
        assert {(rung.level, rung.one_thread_ppm) for rung in made} == {
            ("slow", PPM),
            ("fast", 1_500_000),
        }


def test_a_frequency_is_stated_only_where_the_spec_has_one() -> None:
    level = CoreType("turbo", 2, PPM, PPM, frequency_khz=3_000_000)
    unnamed = CoreType("speed 2", 2, 2 * PPM, 2 * PPM)
    made = combinations(cores(level, unnamed, is_in_place=True), [PPM])
    assert [rung.frequency_khz for rung in made] == [3_000_000, None]


def test_one_thread_on_a_shared_lane_is_slowed_as_the_request_is() -> None:
    made = lane_combinations(CoreType("smt", 2, PPM, PPM), [PPM, 1_800_000], 400_000, 300_000)
    assert {(rung.lane, rung.one_thread_ppm) for rung in made} == {
        (Lane.SHARED, 600_000),
        (Lane.ALONE, PPM),
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [("threads", 0), ("frequency_khz", 0), ("one_thread_ppm", -1), ("core_type", "")],
)
def test_a_setting_without_meaning_is_refused(field: str, value: int | str) -> None:
    with pytest.raises(ValueError, match=f"`{field}` must be absent"):
        Rung("rung", PPM, (), **{field: value})  # type: ignore[arg-type]


def test_settings_are_a_line_each() -> None:
    every, cores_ladder = policy_of("settings-every").ladders
    assert settings_text(every).splitlines()[:2] == [
        "threads by rung: not stated, 1, not stated, not stated, not stated, 4, 9007199254740991",
        "frequency by rung: not stated, not stated, 1 kHz, not stated, not stated, 2.4 GHz, "
        "9007199254.740991 GHz",
    ]
    assert "core type by rung: slow, medium, fast" in settings_text(cores_ladder)
    assert settings_text(policy_of("lucene").ladders[0]) == ""


def test_inspect_prints_settings(capsys: pytest.CaptureFixture[str]) -> None:
    inspect.main([str(Path(EXAMPLES) / "elfen" / "expected.tailc")], standalone_mode=False)
    assert "lane by rung: shared, alone" in capsys.readouterr().out
