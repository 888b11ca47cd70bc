"""Batch work beside requests, worked out by hand.

Requests take 200 us at 2.4 GHz, half of it memory time: 300 us at 1.2 GHz. At 2,000 a second two
cores are busy for 20 % of the time at 2.4 GHz and 30 % at 1.2 GHz. Batch work does half at half of
the frequency. A core draws 2 W and 6 W with requests, and 1 W and 4 W with batch work.
"""

import json

import pytest

from tailc.errors import Code, Severity, TailcError
from tailc.forms.tail_table import Batch
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.spec import open_kind
from tailc.policies.rubik.batch_spec import cycles_line
from tailc.problems.colocation import Throttling
from tests.tailc.policies.rubik.case import SPEC, swapped, write

RANGE = next(line for line in SPEC.splitlines() if "range:" in line).strip()
LEVELS = "levels: [{frequency: 1.2GHz, power: 2W}, {frequency: 2.4GHz, power: 6W}]"
TWO = (RANGE, LEVELS)
BATCH = "batch: {memory: 0%, powers: [1W, 4W]}"
WITH = ("feedback: {", f"{BATCH}\nfeedback: {{")
BESIDE = ("  sleep:", "  uncore: 3W\n  rest: 5W\n  sleep:")
TDP = ("  sleep:", "  uncore: 1W\n  rest: 7W\n  tdp: 10W\n  sleep:")
ALIKE = "cycles,memory_us\n" + "240000,100\n" * 20


def wrote(folder, *changes):
    case = write(folder, swapped(*changes))
    case.design.write_text(ALIKE)
    return case


def compiled(folder, *changes):
    return compile_policy(str(wrote(folder, *changes).spec))


def solution(found):
    return found.sweep.chosen.solution


def settings(found):
    return dict(found.policy.evidence.settings)


def test_the_pair_of_most_work_per_joule_is_emitted(tmp_path):
    found = compiled(tmp_path, TWO, WITH)
    assert found.policy.tail_table.batch == Batch(1_200_000, 1_200_000, 1_000)
    # 0.7 of the time at half the throughput, for 0.3 * 2 W + 0.7 * 1 W.
    assert settings(found)["batch_micro_work_per_joule"] == round(0.35 / 1.3 * 1e6)
    assert settings(found)["batch_busy_ppm"] == 300_000


def test_power_beside_the_cores_makes_higher_frequencies_worth_it(tmp_path):
    found = compiled(tmp_path, TWO, WITH, BESIDE)
    assert found.policy.tail_table.batch == Batch(2_400_000, 2_400_000, 4_000)
    # Each core has half of the 8 W: 0.8 of the time, for 0.2 * 6 W + 0.8 * 4 W + 4 W.
    assert settings(found)["batch_micro_work_per_joule"] == round(0.8 / 8.4 * 1e6)


def test_the_best_of_batch_work_is_told_for_every_frequency_of_requests(tmp_path):
    found = compiled(tmp_path, TWO, WITH, BESIDE)
    # At 1.2 GHz: 0.7 / 7.4 of work per joule at 2.4 GHz, against 0.35 / 5.3 at 1.2 GHz.
    assert settings(found)["batch_khz_at_1200000"] == 2_400_000
    assert settings(found)["batch_khz_at_2400000"] == 2_400_000


def test_a_frequency_at_which_requests_overload_the_core_has_no_best(tmp_path):
    # 300 us of 0.25 ms at 1.2 GHz, and 200 us of it at 2.4 GHz.
    found = compiled(tmp_path, TWO, WITH, ("rates: [500/s, 2000/s]", "rates: [8000/s]"))
    assert found.policy.tail_table.batch.least_khz == 2_400_000
    assert solution(found).pair.best_levels[0] is None
    assert "batch_khz_at_1200000" not in settings(found)


def best_beside(folder, row):
    """The best frequency of batch work for each of requests, from the lowest on."""
    batch = "batch: {memory: 20%, power: {static: 0.5W, dynamic: 4W, at: 2.4GHz}}\nfeedback: {"
    case = write(folder, swapped(("feedback: {", batch), ("  sleep:", "  rest: 1W\n  sleep:")))
    case.design.write_text("cycles,memory_us\n" + f"{row}\n" * 20)
    return solution(compile_policy(str(case.spec))).pair.best_levels


def test_batch_work_is_to_run_faster_beside_memory_bound_requests_that_do(tmp_path):
    """Forced from 1.3 to 2.4 GHz, requests that wait for memory raise the best frequency of batch
    work, from 1.6 to about 1.7 GHz (Bartolini, 2015, figure 3.3).
    """
    best = best_beside(tmp_path, "24000,490")
    assert list(best) == sorted(best)
    assert best[-1] > best[0]


def test_batch_work_is_to_run_slower_beside_compute_bound_requests_that_run_faster(tmp_path):
    best = best_beside(tmp_path, "600000,0")
    assert list(best) == sorted(best, reverse=True)
    assert best[0] > best[-1]


def test_throughput_scales_work_per_joule_and_changes_no_frequency(tmp_path):
    tenfold = ("feedback: {", f"{BATCH[:-1]}, throughput: 10}}\nfeedback: {{")
    found = compiled(tmp_path, TWO, tenfold)
    assert found.policy.tail_table.batch == Batch(1_200_000, 1_200_000, 1_000)
    assert settings(found)["batch_micro_work_per_joule"] == round(3.5 / 1.3 * 1e6)


def test_requests_that_leave_no_time_are_refused_with_the_nearest_rate(tmp_path):
    with pytest.raises(TailcError) as refused:
        compiled(tmp_path, TWO, WITH, ("2000/s]", "10000/s]"))
    (finding,) = refused.value.findings
    assert finding.code is Code.OVERLOADED
    assert (finding.place.line, finding.place.excerpt) == (19, "rates: [500/s, 10000/s]")
    assert "at 10000/s" in finding.message
    # Two cores do 10,000 a second of 200 us.
    assert "9999.999/s" in finding.help


def test_a_rate_of_batch_works_own_is_named_where_it_stands(tmp_path):
    at_rate = ("feedback: {", f"{BATCH[:-1]}, rate: 12000/s}}\nfeedback: {{")
    with pytest.raises(TailcError) as refused:
        compiled(tmp_path, TWO, at_rate)
    (finding,) = refused.value.findings
    assert finding.place.excerpt.startswith("batch:")
    assert "12000/s" in finding.message


def test_without_powers_of_its_own_batch_work_draws_what_requests_do(tmp_path):
    found = compiled(tmp_path, TWO, ("feedback: {", "batch: {memory: 0%}\nfeedback: {"))
    assert found.policy.tail_table.batch == Batch(1_200_000, 1_200_000, 2_000)


def test_measured_instructions_per_cycle_tell_the_memory_share():
    # 1 + f / 2.4 GHz cycles an instruction: half of them wait at 2.4 GHz, a third at 1.2 GHz.
    measured = [(1_200_000, 666_667), (2_400_000, 500_000)]
    assert cycles_line(measured, 2_400_000).memory_ppm == pytest.approx(500_000, abs=2)
    assert cycles_line(measured, 1_200_000).memory_ppm == pytest.approx(333_333, abs=2)


@pytest.mark.parametrize(
    ("clock_khz", "ipc_ppm"), [(1_200_000, 666_667), (2_400_000, 500_000), (4_800_000, 333_333)]
)
def test_a_line_through_two_measurements_gives_both_and_what_lies_beyond(clock_khz, ipc_ppm):
    measured = [(1_200_000, 666_667), (2_400_000, 500_000)]
    assert cycles_line(measured, clock_khz).ipc_ppm == pytest.approx(ipc_ppm, abs=2)


def test_measured_instructions_per_cycle_stand_in_for_the_memory_share(tmp_path):
    ipc = "ipc: [{frequency: 1.2GHz, ipc: 1}, {frequency: 2.4GHz, ipc: 0.75}]"
    found = compiled(tmp_path, TWO, ("feedback: {", f"batch: {{{ipc}}}\nfeedback: {{"))
    # 1 and 4 / 3 cycles an instruction: 2 / 3 + 2 / 3 f / 2.4 GHz.
    assert settings(found)["batch_memory_ppm"] == 500_000


def test_instructions_per_cycle_that_do_not_fall_have_no_memory_time():
    assert cycles_line([(1_000_000, 900_000), (2_000_000, 910_000)], 2_000_000).memory_ppm == 0


def test_instructions_per_cycle_that_fall_faster_than_the_clock_rises_are_all_memory_time():
    line = cycles_line([(1_000_000, 900_000), (2_000_000, 400_000)], 2_000_000)
    assert line.memory_ppm == 1_000_000


def test_a_chip_beyond_its_limit_slows_batch_work_first_and_requests_last(tmp_path):
    found = compiled(tmp_path, TWO, WITH, TDP)
    all_, one, none = solution(found).throttled
    # 1 W beside the cores; both at 6 W, and then at 2 W.
    assert (all_.unlimited_mw, all_.power_mw) == (13_000, 5_000)
    assert (all_.outcome, all_.requests_khz) == (Throttling.REQUESTS_SLOWED, 1_200_000)
    assert (one.unlimited_mw, one.power_mw) == (11_000, 8_000)
    assert (one.outcome, one.requests_khz) == (Throttling.BATCH_SLOWED, 2_400_000)
    assert (one.batch_khz, one.stopped) == ((1_200_000,), 0)
    assert (none.outcome, none.unlimited_mw) == (Throttling.NONE, 9_000)


def test_a_limit_below_all_cores_at_the_highest_frequency_is_warned_of(tmp_path):
    finding, *others = compiled(tmp_path, TWO, WITH, TDP).findings
    assert [each.code for each in others] == [Code.SMALL_SAMPLE]
    assert (finding.code, finding.severity) == (Code.BEYOND_LIMIT, Severity.WARNING)
    assert finding.place.excerpt.strip() == "tdp: 10W"
    assert "13 W" in finding.message


def test_without_batch_work_only_requests_can_slow_down(tmp_path):
    (all_,) = solution(compiled(tmp_path, TWO, TDP)).throttled
    assert all_.outcome is Throttling.REQUESTS_SLOWED


def test_the_tables_of_a_compile_can_be_read(in_folder, tailc):
    wrote(in_folder, TWO, WITH, TDP)
    lines = [" ".join(line.split()) for line in tailc("compile", "service.yaml").out.splitlines()]
    assert "1.2 GHz 2.4 GHz" in lines
    assert "limit 10 W of the chip" in lines
    assert "1 core 11 W 8 W batch work slows down 2.4 GHz 1 core at 1.2 GHz" in lines
    ended = tailc("compile", "service.yaml", "--output-format", "json")
    result = json.loads(ended.out)["result"]
    assert result["batch"]["pairs"][0] == {"requests_khz": 1_200_000, "batch_khz": 2_400_000}
    assert result["throttled"][1]["outcome"] == "batch-slowed"


CLIMB = ("batch: {", "batch: {search: hill-climbing, ")
SMOOTH = (
    WITH[0],
    "batch: {memory: 20%, power: {static: 0.5W, dynamic: 4W, at: 2.4GHz}}\nfeedback: {",
)
# From 1.2 to 2.4 GHz twice the batch work takes 35 times the power.
STEPPED = (
    RANGE,
    "levels: [{frequency: 0.8GHz, power: 1W}, {frequency: 1.2GHz, power: 2W}, "
    "{frequency: 2GHz, power: 5W}, {frequency: 2.4GHz, power: 6W}]",
)
STEP = (WITH[0], "batch: {memory: 0%, powers: [0.5W, 0.6W, 20W, 21W]}\nfeedback: {")


def test_climbing_finds_the_pair_of_the_enumeration_where_powers_are_smooth(tmp_path):
    all_pairs, climbed = (compiled(tmp_path, BESIDE, SMOOTH, *more) for more in ((), (CLIMB,)))
    assert climbed.policy.tail_table == all_pairs.policy.tail_table
    assert solution(climbed).pair == solution(all_pairs).pair
    told = settings(climbed)
    assert told.pop("batch_hill_climbing") == 1
    assert told == settings(all_pairs)


def test_climbing_stops_short_of_the_enumeration_at_a_step_of_power(tmp_path):
    all_pairs, climbed = (compiled(tmp_path, STEPPED, STEP, *more) for more in ((), (CLIMB,)))
    assert all_pairs.policy.tail_table.batch.frequency_khz == 1_200_000
    assert climbed.policy.tail_table.batch.frequency_khz == 2_400_000
    key = "batch_micro_work_per_joule"
    assert settings(climbed)[key] < settings(all_pairs)[key]


def test_a_compile_tells_which_search_it_used(in_folder, tailc):
    for changes, search, told in (((), "enumeration", False), ((CLIMB,), "hill-climbing", True)):
        wrote(in_folder, TWO, WITH, *changes)
        ended = tailc("compile", "service.yaml", "--output-format", "json")
        assert json.loads(ended.out)["result"]["batch"]["search"] == search
        text = tailc("compile", "service.yaml").out
        assert ("by hill climbing" in text) == told


def test_climbing_where_requests_leave_no_time_is_refused_too(tmp_path):
    with pytest.raises(TailcError) as refused:
        compiled(tmp_path, TWO, WITH, CLIMB, ("2000/s]", "10000/s]"))
    assert [each.code for each in refused.value.findings] == [Code.OVERLOADED]


POWER = "power: {static: 0W, dynamic: 4W, at: 2.4GHz}"
WRONG = {
    "no memory share": ((WITH[0], "batch: {throughput: 1}\nfeedback: {"), "batch", "memory: 30%"),
    "two memory shares": (
        (
            WITH[0],
            "batch: {memory: 1%, ipc: [{frequency: 1GHz, ipc: 1}, {frequency: 2GHz, ipc: 1}]}\n"
            "feedback: {",
        ),
        "batch.ipc",
        "remove one",
    ),
    "one frequency": (
        (
            WITH[0],
            "batch: {ipc: [{frequency: 1GHz, ipc: 1}, {frequency: 1GHz, ipc: 2}]}\nfeedback: {",
        ),
        "batch.ipc",
        "another",
    ),
    "one measurement": (
        (WITH[0], "batch: {ipc: [{frequency: 1GHz, ipc: 1}]}\nfeedback: {"),
        "entries, but needs at least",
        None,
    ),
    "another search": (
        (WITH[0], f"{BATCH[:-1]}, search: annealing}}\nfeedback: {{"),
        "batch.search",
        "hill-climbing",
    ),
    "two powers": (
        (WITH[0], f"{BATCH[:-1]}, {POWER}}}\nfeedback: {{"),
        "batch.powers",
        "remove one",
    ),
    "powers of other frequencies": (
        (WITH[0], "batch: {memory: 0%, powers: [1W]}\nfeedback: {"),
        "batch.powers",
        "for each",
    ),
    "a negative throughput": (
        (WITH[0], f"{BATCH[:-1]}, throughput: -1}}\nfeedback: {{"),
        "batch.throughput",
        None,
    ),
    "a limit below idle power": (
        ("  sleep:", "  uncore: 3W\n  tdp: 3.1W\n  sleep:"),
        "server.tdp",
        "no frequency can meet the",
    ),
    "a limit below all cores at the lowest frequency": (
        ("  sleep:", "  uncore: 3W\n  tdp: 6.9W\n  sleep:"),
        "server.tdp",
        "lower frequency",
    ),
    "a limit of more cores than a chip has": (
        ("cores: 2", "cores: 300\n  tdp: 900W"),
        "server.tdp",
        "remove it",
    ),
}


@pytest.mark.parametrize("case", WRONG, ids=str)
def test_what_cannot_be_is_refused_where_it_stands(tmp_path, case):
    change, where, hint = WRONG[case]
    with pytest.raises(TailcError) as refused:
        open_kind(str(wrote(tmp_path, TWO, change).spec))
    (finding,) = refused.value.findings
    assert where in finding.message
    assert finding.place.line is not None
    assert hint is None or hint in finding.help


def test_batch_work_without_any_rate_is_refused(tmp_path):
    feedback = next(line for line in SPEC.splitlines() if line.startswith("feedback"))
    rates = ("rates: [500/s, 2000/s]\n", "")
    with pytest.raises(TailcError, match="is missing, but the time for batch work"):
        open_kind(str(wrote(tmp_path, TWO, (feedback, f"{BATCH}\nfeedback: off"), rates).spec))
