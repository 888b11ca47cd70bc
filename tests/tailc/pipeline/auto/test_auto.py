"""The default method: what it writes is no worse than what could be set by hand."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tailc.artifact.envelope import Policy
from tailc.artifact.json_form import encode_json
from tailc.errors import Code
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.leanest import leanest_rung
from tailc.models.shared_cores.baselines.fixed_degree import fixed_rung
from tailc.models.workload import Workload
from tailc.pipeline.auto.choice import AutoResult
from tailc.pipeline.auto.stable import ending_lean
from tailc.pipeline.compile import compile_policy
from tailc.tuning.operating_point import operating_points
from tailc.tuning.tuning_problem import ladder_subject
from tailc.tuning.tuning_sample import tuning_sample
from tests.tailc.pipeline.auto.conftest import demands_ms, write_service


@pytest.fixture(scope="module")
def compiled(service):
    return compile_policy(str(service), threads=2)


def tails_us(tables, demand_ms, rate_mrps):
    """float64 (tables,): the p90 of each on the same requests at the same times."""
    (speed,) = {tuple(rung.speed_ppm / 1e6 for rung in table.rungs) for table in tables}
    rows = len(demand_ms)
    load = Workload(
        np.rint(demand_ms * 1e6).astype(np.int64),
        np.ones(rows, np.int64),
        np.zeros(rows, np.int32),
        np.array([speed]),
    )
    objective = TuningObjective(900_000, (rate_mrps,), (1,), 1)
    with ThreadPoolExecutor(2) as workers:
        sample = tuning_sample(
            operating_points(load, objective),
            900_000,
            4,
            requests=20_000,
            repeats=4,
            seed=5,
            workers=workers,
            subject_of=ladder_subject,
        )
        return sample.tails_us(tables).mean(axis=(1, 2))


@pytest.mark.parametrize("sample", [2, 3])
def test_on_a_sample_drawn_apart_it_beats_every_fixed_degree(compiled, sample):
    (table,) = compiled.policy.ladders
    fixed_tables = [fixed_rung(table, rung) for rung in range(len(table.rungs))]
    ours, *theirs = tails_us([table, *fixed_tables], demands_ms(5_000, sample), 180_000)
    assert ours < min(theirs)


def test_it_keeps_up_wherever_one_thread_a_request_does(compiled):
    """At 95 % of what four cores do on one thread each; a fixed degree above one is overloaded."""
    (table,) = compiled.policy.ladders
    demand_ms = demands_ms(5_000, 4)
    rate_mrps = round(0.95 * 4e6 / demand_ms.mean())
    ours, one, two = tails_us(
        [table, fixed_rung(table, 0), fixed_rung(table, 1)], demand_ms, rate_mrps
    )
    assert ours < 3 * one < two


def test_the_last_row_is_the_leanest(compiled):
    (table,) = compiled.policy.ladders
    assert [climb.rung for climb in table.rows[-1].climbs] == [leanest_rung(table)]


def test_the_evidence_says_how_the_table_was_found(compiled):
    evidence = compiled.policy.evidence
    assert (evidence.method, evidence.proof) == ("auto", "replayed")
    settings = dict(evidence.settings)
    assert (settings["judged_on"], settings["kept_out"]) == (300, 1)


def test_no_byte_depends_on_the_number_of_threads(service, compiled):
    again: Policy = compile_policy(str(service), threads=1).policy
    assert encode_json(again) == encode_json(compiled.policy)


def test_of_few_rows_none_is_kept_back_and_a_warning_says_so(tmp_path):
    spec = write_service(tmp_path, rows=200)
    compiled = compile_policy(str(spec), threads=2)
    (chosen,) = compiled.additions_of(AutoResult)
    assert not chosen.is_held_out
    assert Code.JUDGED_ON_OWN in {finding.code for finding in compiled.findings}


def test_a_method_that_is_asked_for_is_what_is_written(tmp_path):
    spec = write_service(tmp_path, method=("effort: quick", "method: grid"))
    assert compile_policy(str(spec), threads=2).policy.evidence.method == "grid"


def test_without_rates_there_is_nothing_to_replay(tmp_path):
    spec = write_service(
        tmp_path, rates=("rates: [180/s]\n", ""), effort=("search: {effort: quick}\n", "")
    )
    assert compile_policy(str(spec), threads=2).policy.evidence.method == "grid"


def test_where_more_threads_make_no_request_faster_the_formula_s_table_is_the_only_one(tmp_path):
    spec = write_service(tmp_path, speedup=("speedup: [1, 1.7, 2.2]", "speedup: [1, 1]"))
    compiled = compile_policy(str(spec), threads=2)
    assert compiled.policy.evidence.method == "grid"
    assert len(compiled.policy.ladders[0].rungs) == 1


def test_a_table_that_ends_lean_stays_as_it_is(tmp_path):
    """So a formula's table that is taken keeps its certificate."""
    spec = write_service(tmp_path, method=("effort: quick", "method: grid"))
    (table,) = compile_policy(str(spec), threads=2).policy.ladders
    assert ending_lean(table, 4) is table
    assert ending_lean(fixed_rung(table, 1), 4).rows[-1].climbs == table.rows[-1].climbs
