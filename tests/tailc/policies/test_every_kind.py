"""The kit that every kind must pass, by the form that it emits.

Nothing here knows a kind: the kinds come from the scan, each with its own small instance, and the
checks are those of its form.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
import tailc_runtime

from tailc.artifact.envelope import Policy
from tailc.artifact.files import read_policy, write_policy
from tailc.cli import run
from tailc.diff.behaviour import behaviour
from tailc.diff.throughput import throughput_change
from tailc.errors import ExitCode
from tailc.experiment.block_means import MeanError
from tailc.experiment.options import VerifyOptions
from tailc.experiment.recorded_periods import recorded_periods
from tailc.forms import shares_step
from tailc.forms.budget_table import BudgetTable, allowance
from tailc.forms.controller import first_state, output_ppm, scaled_ladder
from tailc.forms.ladder.batch import STARTS, BatchLookup
from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import Climb, Ladder, LoadAxis, Row
from tailc.forms.plan.plan import Plan, PoolPrices
from tailc.forms.plan.plan_books import plan_books
from tailc.forms.plan.quote import RigidJob, cheapest_width, quote
from tailc.forms.shares import Shares
from tailc.forms.tail_table import PPM, QueuedRequests, TailTable, level_for
from tailc.models import streams
from tailc.models.subjects import on_ladders
from tailc.models.workload import workload
from tailc.policies import KINDS
from tailc.studies.held_out import read_held_out
from tailc.studies.held_out_rows import read_held_out_rows
from tailc.traces.zones import utc_text
from tailc.units import format_mrps, plain_ppm
from tests.tailc.policies.cases import write_case
from tests.tailc.policies.compiled import Compiled, compiled_apart, compiled_kind

QUICK = ("--requests", "2000", "--replicates", "60", "--no-progress")

BRIEF = ("--requests", "400", "--replicates", "49", "--no-progress")


@pytest.fixture(scope="module", params=sorted(KINDS))
def compiled(request, tmp_path_factory) -> Compiled:
    return compiled_kind(tmp_path_factory, request.param)


@pytest.fixture
def ladders(compiled) -> tuple[Ladder, ...]:
    found = tuple(form for form in compiled.policy.forms if isinstance(form, Ladder))
    if not found:
        pytest.skip(f"kind `{compiled.policy.kind}` emits no ladder")
    return found


def queries(ladder: Ladder) -> list[tuple[int, int, int]]:
    """(load, waited, executed) on both sides of every number of a row, and of where it begins."""
    found: set[tuple[int, int, int]] = set()
    for row in ladder.rows:
        delay_us = row.admission.delay_us
        stated = {delay_us, *(climb.age_us for climb in row.climbs)}
        times = {time + off for time in stated for off in (-1, 0, 1) if time + off >= 0}
        waits = {time for time in times if time <= delay_us + 1}
        loads = {row.first_load + off for off in (-1, 0, 1) if row.first_load + off >= 0}
        found |= set(itertools.product(loads, waits, times))
    return sorted(found)


def test_both_encodings_read_back_as_the_same_policy(compiled, tmp_path):
    by_suffix = {path.suffix: path for path in write_policy(compiled.policy, tmp_path / "again")}
    assert read_policy(by_suffix[".json"]) == compiled.policy
    assert read_policy(by_suffix[".tailc"]) == compiled.policy
    for suffix, path in by_suffix.items():
        assert path.read_bytes() == compiled.stem.with_suffix(suffix).read_bytes()


@pytest.fixture
def apart(tmp_path_factory) -> Path:
    """Where another process has compiled all kinds, on one thread."""
    return compiled_apart(tmp_path_factory)


def test_a_second_compile_gives_the_same_bytes(compiled, apart):
    """In another folder, with other hashes, on one thread and not two."""
    second = apart / compiled.policy.kind / "policy"
    for suffix in (".json", ".tailc"):
        assert second.with_suffix(suffix).read_bytes() == (
            compiled.stem.with_suffix(suffix).read_bytes()
        )


def test_compiles_do_without_pandas(apart):
    """It comes with a solver, and to import it takes a third of a second."""
    assert not list(apart.glob("*/pandas"))


def test_the_evidence_covers_every_row_and_names_its_inputs(compiled):
    policy = compiled.policy
    assert policy.inputs
    assert policy.evidence.settings
    assert policy.evidence.rows or not policy.ladders
    assert policy.evidence.proof
    for row in policy.evidence.rows:
        assert row.bound_us is None or row.bound_us <= row.objective_us
        assert row.tail_low_us <= row.tail_us
        assert row.tail_high_us is None or row.tail_us <= row.tail_high_us


def test_faster_rungs_cost_more(ladders):
    """Of cores in power: which kind of core a rung takes is no matter of more or less."""
    for ladder in ladders:
        told = [ladder.power.unit] if ladder.power else range(len(ladder.cost_units))
        for slower, faster in itertools.pairwise(ladder.rungs):
            assert slower.speed_ppm <= faster.speed_ppm
            assert all(slower.cost_ppm[unit] <= faster.cost_ppm[unit] for unit in told)


def test_every_look_up_gives_the_same_answer(compiled, ladders):
    embedded = tailc_runtime.open_policies(compiled.stem.with_suffix(".tailc"))
    for written in ladders:
        ladder = _at_first(compiled.policy, written)
        asked = queries(ladder)
        alone = [lookup(ladder, *query) for query in asked]
        alone = [(STARTS.index(answer.start), answer.wait_us, answer.rung) for answer in alone]
        batch = BatchLookup(ladder)(*np.array(asked, dtype=np.int64).T)
        together = zip(*(a.tolist() for a in (batch.start, batch.wait_us, batch.rung)), strict=True)
        assert list(together) == alone
        assert [embedded[ladder.request_class].lookup(*query) for query in asked] == alone


def _at_first(policy: Policy, ladder: Ladder) -> Ladder:
    """The ladder as it holds before its controller, if it has one, has measured anything."""
    control = policy.controller
    if control is None:
        return ladder
    return scaled_ladder(ladder, output_ppm(control, first_state(control)))


def test_the_command_line_looks_up_what_the_library_does(compiled, ladders, tailc):
    ladder = ladders[0]
    load, waited, age = queries(ladder)[len(queries(ladder)) // 2]
    axis = {LoadAxis.IN_SYSTEM: "--in-system", LoadAxis.RATE: "--rate"}[ladder.load_axis]
    by_class = [] if ladder.request_class is None else ["--class", ladder.request_class]
    words = ("--waited", f"{waited}us", "--age", f"{age}us", "--output-format", "json")
    at = load if ladder.load_axis is LoadAxis.IN_SYSTEM else format_mrps(load)
    ended = tailc("lookup", compiled.stem, axis, at, *words, *by_class)
    answer = lookup(ladder, load, waited, age)
    result = json.loads(ended.out)["result"]
    assert (result["rung"], result["start"]) == (answer.rung, answer.start.value)


@pytest.fixture
def tail_table(compiled) -> TailTable:
    found = compiled.policy.tail_table
    if found is None:
        pytest.skip(f"kind `{compiled.policy.kind}` emits no tail table")
    return found


def held(table: TailTable) -> list[QueuedRequests]:
    """Queues on both sides of every elapsed work that the table states, and of its positions."""
    ages = [0, table.bound_us * 300, table.bound_us * 900, table.bound_us * 1_000]
    queues = [
        (age,) * size for age in ages for size in (1, 2, table.positions, table.positions + 1)
    ]
    had = [
        sorted({0, *(max(row.from_elapsed + off, 0) for row in rows for off in (-1, 0, 1))})
        for rows in (table.cycles, table.memory_ns)
    ]
    elapsed = itertools.zip_longest(*had, fillvalue=0)
    return [QueuedRequests(ages, *each) for each in elapsed for ages in queues]


def test_every_look_up_of_a_level_gives_the_same_answer(compiled, tail_table):
    control = compiled.policy.controller
    scale_ppm = output_ppm(control, first_state(control)) if control else None
    embedded = tailc_runtime.open_tail_table(compiled.stem.with_suffix(".tailc"))
    for each in held(tail_table):
        level = level_for(tail_table, each, scale_ppm or PPM)
        asked = (each.ages_ns, each.elapsed_cycles, each.elapsed_memory_ns)
        assert embedded.level(*asked) == level, each


def test_the_command_line_looks_up_levels_as_the_library_does(compiled, tail_table, tailc):
    ages_us = (tail_table.bound_us // 2, tail_table.bound_us // 4)
    words = [word for age in ages_us for word in ("--held", f"{age}us")]
    ended = tailc("lookup", compiled.stem, *words, "--output-format", "json")
    level = level_for(tail_table, QueuedRequests(tuple(age * 1_000 for age in ages_us)))
    assert json.loads(ended.out)["result"]["level"] == level


def test_higher_frequencies_cost_more(tail_table):
    powers = [level.power_mw for level in tail_table.levels]
    assert powers == sorted(powers)


def test_verify_judges_a_tail_table_alike_on_any_number_of_threads(compiled, tail_table, tailc):
    words = ("verify", compiled.stem, "--trace", compiled.case.held_out, *QUICK)
    said = [tailc(*words, "--threads", n) for n in (1, 2)]
    assert said[0].out == said[1].out
    assert said[0].code == said[1].code
    assert said[0].code in (0, 1, 4)


def test_a_policy_differs_from_one_with_another_bound(compiled, tail_table, tailc, tmp_path):
    longer = dataclasses.replace(tail_table, bound_us=tail_table.bound_us + 1)
    forms = (longer, *compiled.policy.forms[1:])
    write_policy(dataclasses.replace(compiled.policy, forms=forms), tmp_path / "changed")
    ended = tailc("diff", compiled.stem, tmp_path / "changed", "--exit-code")
    assert ended.code == 2


@pytest.fixture
def budgets(compiled) -> BudgetTable:
    found = compiled.policy.budget_table
    if found is None:
        pytest.skip(f"kind `{compiled.policy.kind}` emits no token budgets")
    return found


def states(table: BudgetTable) -> list[tuple[int, int]]:
    """Decoding sequences and waiting tokens on both sides of every number of the table."""
    firsts = [row.first_decoding for row in table.rows], table.first_waiting
    around = [{max(one + off, 0) for one in each for off in (-1, 0, 1)} for each in firsts]
    return sorted(itertools.product(*around))


def test_every_look_up_of_a_budget_gives_the_same_answer(compiled, budgets):
    for suffix in (".tailc", ".json"):
        embedded = tailc_runtime.open_budget_table(compiled.stem.with_suffix(suffix))
        for state in states(budgets):
            cell = allowance(budgets, *state)
            assert embedded.lookup(*state) == (cell.budget, cell.new_sequences), state


def test_the_command_line_looks_up_budgets_as_the_library_does(compiled, budgets, tailc):
    decoding, waiting = states(budgets)[-1]
    words = ("--decoding", decoding, "--waiting-tokens", waiting, "--output-format", "json")
    result = json.loads(tailc("lookup", compiled.stem, *words).out)["result"]
    cell = allowance(budgets, decoding, waiting)
    assert (result["budget"], result["new_sequences"]) == (cell.budget, cell.new_sequences)
    assert result["prompt_tokens"] == max(cell.budget - decoding, 0)


def test_verify_judges_budgets_alike_on_any_number_of_threads(compiled, budgets, tailc):
    words = ("verify", compiled.stem, "--trace", compiled.case.held_out, "--replicates", "60")
    told = [tailc(*words, "--threads", n) for n in (1, 2)]
    assert told[0] == told[1]
    assert told[0].code in (0, 1, 4)


def test_a_policy_differs_from_one_with_another_budget(compiled, budgets, tailc, tmp_path):
    first, *others = budgets.rows
    larger = dataclasses.replace(first, budgets=(first.budgets[0] + 1, *first.budgets[1:]))
    changed = dataclasses.replace(budgets, rows=(larger, *others))
    write_policy(dataclasses.replace(compiled.policy, forms=(changed,)), tmp_path / "changed")
    words = (compiled.stem, tmp_path / "changed", "--exit-code", "--output-format", "json")
    ended = tailc("diff", *words)
    assert ended.code == 2
    (change,) = json.loads(ended.out)["result"]["forms"]["budget_table"]
    assert change["what"] == "from 0 decoding sequences"


def test_in_a_replay_every_request_leaves_after_its_work_is_done(compiled, ladders):
    profile = read_held_out(compiled.policy, str(compiled.case.held_out)).profile
    rungs = len(ladders[0].rungs)
    load = workload(profile, ladders[0])
    requests, rate_mrps = 2000, compiled.policy.rates_mrps[0]
    arrival_ns = np.empty(requests, np.int64)
    streams.poisson_arrivals(streams.stream(1), rate_mrps, arrival_ns)
    order = np.arange(requests) % len(load.work_ns)
    engine = on_ladders("first", ladders[:1]).engine(rate_mrps, 10_000)
    outcome = engine.replay(load, order, arrival_ns, 0)
    assert outcome.arrived == requests
    fastest = load.speed[load.curve_of[order]].max(axis=1)
    least_ns = load.work_ns[order] / fastest
    assert (outcome.latency_ns - outcome.wait_ns >= least_ns - 1).all()
    assert (outcome.wait_ns >= 0).all()
    assert set(outcome.rung.tolist()) <= set(range(rungs))
    assert 0 < outcome.utilization <= 1


def test_verify_gives_the_same_verdict_on_any_number_of_threads(compiled, ladders, tailc):
    beside = ("--baselines", "first")
    words = (compiled.stem, "--trace", compiled.case.held_out, *QUICK, *beside)
    said = [tailc("verify", *words, "--threads", n) for n in (1, 2)]
    assert said[0].out == said[1].out
    assert said[0].code == said[1].code
    assert said[0].code in (0, 1, 4)


def test_verify_refuses_what_the_policy_was_compiled_from(compiled, tailc):
    has_demand = compiled.policy.ladders or compiled.policy.tail_table
    words = QUICK if has_demand else ()
    ended = tailc("verify", compiled.stem, "--trace", compiled.case.design, *words)
    assert "TC0601" in ended.err


def test_a_policy_differs_in_nothing_from_itself(compiled, tailc):
    ended = tailc("diff", compiled.stem, compiled.stem, "--exit-code", "--output-format", "json")
    assert ended.code == 0
    assert json.loads(ended.out)["result"]["differs"] is False


@pytest.fixture
def shares(compiled) -> Shares:
    found = compiled.policy.shares
    if found is None:
        pytest.skip(f"kind `{compiled.policy.kind}` emits no shares")
    return found


def test_shares_never_add_up_to_more_than_the_host(compiled, shares):
    rows = read_held_out_rows(compiled.policy, str(compiled.case.held_out))
    outcome = recorded_periods(shares, rows).outcome
    granted = np.rint(outcome.share * PPM).sum(axis=0) + np.rint(outcome.batch_share * PPM)
    assert (granted <= shares.host_ppm).all()
    assert (np.rint(outcome.share * PPM) >= shares.least_ppm).all()


def test_verify_gives_the_same_verdict_on_throughput_twice(compiled, shares, tailc):
    words = (compiled.stem, "--trace", compiled.case.held_out, "--replicates", "60")
    said = [tailc("verify", *words) for _ in range(2)]
    assert said[0] == said[1]
    assert said[0].code in (0, 1, 4)


def test_the_command_line_steps_shares_as_the_library_does(compiled, shares, tailc):
    state = shares_step.first_state(shares)
    rates = [(machine.target_milli or 0) * 9 // 10 for machine in shares.served_machines]
    for _ in range(shares_step.lag_ticks(shares)):
        state = shares_step.tick(shares, state, [rate / 1000 for rate in rates])
    told = ",".join(f"{rate}/s" for rate in (plain_ppm(rate * 1000) for rate in rates))
    words = ("--throughput", told, "--output-format", "json")
    machines = json.loads(tailc("lookup", compiled.stem, *words).out)["result"]["machines"]
    assert [machine["granted_ppm"] for machine in machines] == list(state.granted_ppm)


def test_beside_itself_no_throughput_changes(compiled, shares):
    rows = read_held_out_rows(compiled.policy, str(compiled.case.held_out))
    change = throughput_change(compiled.policy, compiled.policy, rows, VerifyOptions())
    assert len(change.machines) == len(shares.served_machines)
    assert {machine.change for machine in change.machines} == {MeanError(0, 0, 0)}


def test_beside_one_that_is_slower_throughput_is_told(compiled, shares, tailc, tmp_path):
    slower = dataclasses.replace(shares, pole_ppm=900_000)
    write_policy(dataclasses.replace(compiled.policy, forms=(slower,)), tmp_path / "slower")
    words = ("--trace", compiled.case.held_out, "--exit-code", "--output-format", "json")
    ended = tailc("diff", compiled.stem, tmp_path / "slower", *words)
    assert ended.code == 2
    told = json.loads(ended.out)["result"]
    assert [change["what"] for change in told["forms"]["shares"]]
    names = [machine["name"] for machine in told["throughput"]["machines"]]
    assert names == [machine.name for machine in shares.served_machines]


@pytest.fixture
def plan(compiled) -> Plan:
    found = compiled.policy.plan
    if found is None:
        pytest.skip(f"kind `{compiled.policy.kind}` emits no plan")
    return found


def test_the_energy_and_money_of_a_plan_balance_in_every_epoch(plan):
    books = plan_books(plan)
    for entry in books.entries:
        assert entry.green_used_mj + entry.brown_mj == entry.demand_mj
        assert entry.green_used_mj + entry.spilled_mj == entry.green_mj
    assert books.short_mj == 0
    assert [job.name for job in books.jobs] == [job.name for job in plan.jobs]


def test_every_moment_of_a_plan_is_looked_up_alike(compiled, plan):
    embedded = tailc_runtime.open_plan(compiled.stem.with_suffix(".tailc"))
    for epoch in range(len(plan.epochs)):
        begins = plan.start_unix_s + epoch * plan.epoch_s
        for unix_s in (begins, begins + plan.epoch_s - 1):
            assert embedded.epoch_at(unix_s) == plan.epoch_at(unix_s) == epoch
            for job in plan.jobs:
                assert embedded.allocation(job.name, unix_s) == plan.allocation(job.name, epoch)
        assert embedded.free(epoch) == tuple(plan.free[:, epoch].tolist())
        for pool in range(len(plan.pools)):
            assert (embedded.source(pool, begins) == "green") is plan.is_green(pool, epoch)


def test_every_job_that_a_plan_does_not_know_is_priced_alike(compiled, plan):
    embedded = tailc_runtime.open_plan(compiled.stem.with_suffix(".tailc"))
    for first, epochs, width in itertools.product((0, len(plan.epochs) // 2), (1, 5), (1, 2, 7)):
        if plan.malleable is not None:
            widths = {width: epochs, 2 * width: -(-epochs // 2)}
            found = cheapest_width(plan, plan.free, first, widths)
            assert embedded.cheapest_width(first, widths) == found
            continue
        for green_ppm in (0, PPM // 2, PPM):
            told = quote(plan, plan.free, RigidJob(first, epochs, width, green_ppm))
            got = embedded.quote(first, epochs, width, green_ppm)
            assert got[:3] == (told.pays_udollars, told.worth_udollars, told.green_slots)
            assert got.is_admitted == told.is_admitted


def test_the_command_line_looks_up_plans_as_the_library_does(compiled, plan, tailc):
    words = ("--at", utc_text(plan.start_unix_s), "--output-format", "json")
    told = json.loads(tailc("lookup", compiled.stem, *words).out)["result"]
    assert [pool["free"] for pool in told["pools"]] == plan.free[:, 0].tolist()
    for job in plan.jobs[:3]:
        told = json.loads(tailc("lookup", compiled.stem, "--job", job.name, *words).out)["result"]
        places = [
            (plan.pools[pool].name, held) for pool, held in plan.allocation(job.name, 0) or ()
        ]
        assert [(one["pool"], one["servers"]) for one in told["places"]] == places


def test_a_policy_differs_from_one_with_another_price(compiled, plan, tailc, tmp_path):
    first, *others = plan.prices
    dearer = PoolPrices((first.udollars[0] + 1, *first.udollars[1:]))
    changed = dataclasses.replace(plan, prices=(dearer, *others))
    write_policy(dataclasses.replace(compiled.policy, forms=(changed,)), tmp_path / "changed")
    words = (compiled.stem, tmp_path / "changed", "--exit-code", "--output-format", "json")
    ended = tailc("diff", *words)
    assert ended.code == 2
    told = json.loads(ended.out)["result"]["forms"]["plan"]
    assert [epoch["first_unix_s"] for epoch in told["epochs"]] == [plan.start_unix_s]
    assert told["jobs"] == []


def test_beside_itself_a_policy_runs_no_request_otherwise_and_changes_nothing(compiled):
    if not compiled.policy.ladders and not compiled.policy.tail_table:
        pytest.skip("its replays have no demands of requests: shares, plans and token budgets")
    held_out = read_held_out(compiled.policy, str(compiled.case.held_out)).profile
    options = VerifyOptions(requests_per_replay=400, replicates=49)
    told = behaviour(compiled.policy, compiled.policy, held_out, options)
    # What a request on a core does hangs on the others, and is not told by age alone.
    assert told.decisions.requests > 0 or told.decisions.unknown
    assert told.decisions.changed_requests == 0
    changes = [quantity.change for point in told.points for quantity in point.quantities]
    assert changes
    for change in changes:
        assert change.old == change.new
        assert change.difference == 0
        assert {change.low, change.high} <= {0, None}


def test_beside_one_with_another_row_quantities_are_told(compiled, ladders, tailc, tmp_path):
    changed = dataclasses.replace(
        compiled.policy, forms=(_with_another_row(ladders[0]), *compiled.policy.forms[1:])
    )
    write_policy(changed, tmp_path / "changed")
    words = ("--trace", compiled.case.held_out, *BRIEF, "--output-format", "json")
    ended = tailc("diff", compiled.stem, tmp_path / "changed", *words)
    told = json.loads(ended.out)["result"]["behaviour"]
    assert told["points"]
    for point in told["points"]:
        assert {"p50", "p99", "threads"} <= {each["name"] for each in point["quantities"]}


def test_a_policy_differs_from_one_with_another_row(compiled, ladders, tailc, tmp_path):
    changed = dataclasses.replace(
        compiled.policy, forms=(_with_another_row(ladders[0]), *compiled.policy.forms[1:])
    )
    write_policy(changed, tmp_path / "changed")
    ended = tailc("diff", compiled.stem, tmp_path / "changed", "--exit-code")
    assert ended.code == 2
    back = tailc("diff", tmp_path / "changed", compiled.stem, "--exit-code")
    assert back.code == 2


def _with_another_row(ladder: Ladder) -> Ladder:
    """The ladder whose last row climbs a microsecond later, or for the first time."""
    *others, last = ladder.rows
    *before, climb = last.climbs
    later = Climb(climb.age_us + 1, climb.rung)
    climbs = (*before, later) if before else (climb, Climb(1, len(ladder.rungs) - 1))
    row = Row(last.first_load, last.last_load, last.admission, climbs)
    return dataclasses.replace(ladder, rows=(*others, row))


def test_inspect_says_what_the_policy_promises(compiled, tailc):
    ended = tailc("inspect", compiled.stem, "--rows")
    assert ended.code == 0
    assert compiled.policy.name in ended.out
    assert compiled.policy.kind in ended.out
    for slo in compiled.policy.slos:
        assert str(slo) in ended.out


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_later_objective_that_no_policy_can_meet_is_refused_where_it_stands(
    kind, tmp_path, capsys
):
    case = write_case(kind, tmp_path)
    spec = case.spec.read_text()
    if "slo: [" not in spec:
        pytest.skip(f"kind `{kind}` promises no latency")
    later = "{percentile: 99%, latency: 2us}, {percentile: 99%, latency: 3us}"
    case.spec.write_text(re.sub(r"slo: \[(.*)\]", rf"slo: [\1, {later}]", spec))
    assert run(["compile", str(case.spec), "--no-progress"]) == ExitCode.INFEASIBLE
    told = capsys.readouterr().err
    assert "`p99 <= 2 us` cannot be met" in told
    assert "`p99 <= 3 us` cannot be met" in told
    assert "relax the latency to more than" in told
    assert f"service.yaml:{1 + spec[: spec.index('slo: [')].count(chr(10))}:" in told
