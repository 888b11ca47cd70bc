"""A table keeps up at every rate at which one thread a request does."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.forms.ladder.table import AT_ONCE, Climb, Ladder, Row
from tailc.models import streams
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.same_server import same_server
from tailc.models.workload import Workload
from tailc.pipeline.solve import solve
from tailc.policies.few_to_many.emit import emit
from tailc.policies.few_to_many.reduce import reduce
from tailc.policies.few_to_many.spec import FewToManySpec
from tailc.traces.profile import DemandProfile, Measure

REQUESTS = 6_000
NS_PER_MS = 1_000_000
SPEEDUP = (1, 1.7, 2.2)
DEMANDS_MS = {
    "constant": np.full(40, 20.0),
    "exponential": -20 * np.log(1 - (np.arange(40) + 0.5) / 40),
    "heavy": 5 * (1 - (np.arange(40) + 0.5) / 40) ** (-1 / 1.5),
}


@dataclass(frozen=True)
class Case:
    demand: str
    cores: int
    target: int
    search: dict

    def table(self) -> Ladder:
        spec = FewToManySpec.model_validate(
            {
                "apiVersion": "tailc/v1",
                "kind": "few-to-many",
                "name": "x",
                "slo": [{"percentile": "95%", "latency": "10s"}],
                "demand": {
                    "trace": "x.csv",
                    "column": "demand_ms",
                    "unit": "ms",
                    "measure": "demand-busy",
                    "reference": "x",
                },
                "speedup": list(SPEEDUP),
                "server": {"cores": self.cores, "target_parallelism": self.target},
                "search": self.search,
            }
        )
        problem = reduce(spec, self.profile())
        return emit(spec, problem, solve(problem))

    def profile(self) -> DemandProfile:
        demand_ms = DEMANDS_MS[self.demand]
        every = np.ones(len(demand_ms), np.int64)
        curve_of = np.zeros(len(demand_ms), np.int32)
        curves = np.array([SPEEDUP], np.float64)
        return DemandProfile(
            demand_ms, every, curves, curve_of, (), Measure.DEMAND_BUSY, "one thread"
        )

    def in_system(self, table: Ladder) -> tuple[float, bool]:
        """Mean requests in the system at 95 % of what one thread each carries, if it keeps up."""
        demand_ms = DEMANDS_MS[self.demand]
        drawn = np.random.default_rng(0).choice(demand_ms, REQUESTS)
        work_ns = np.rint(drawn * NS_PER_MS).astype(np.int64)
        every = np.ones(REQUESTS, np.int64)
        load = Workload(work_ns, every, np.zeros(REQUESTS, np.int32), np.array([SPEEDUP], float))
        rate_mrps = round(0.95 * self.cores / float(drawn.mean()) * 1e6)
        arrival_ns = np.empty(REQUESTS, np.int64)
        streams.poisson_arrivals(streams.stream(1, 0), rate_mrps, arrival_ns)
        engine = SharedCores("x", (table,)).engine(rate_mrps, REQUESTS)
        outcome = engine.replay(load, np.arange(REQUESTS), arrival_ns, 0)
        return float(np.mean(outcome.mean_in_system_by_half)), outcome.was_cut_off


def assert_keeps_up(case: Case) -> None:
    table = case.table()
    one_thread = same_server(table, (Row(1, None, AT_ONCE, (Climb(0, 0),)),))
    alone, _ = case.in_system(one_thread)
    found, was_cut_off = case.in_system(table)
    assert not was_cut_off
    # Below its last row a table may do less work than one thread each; beyond it does not.
    assert found <= 1.5 * alone + table.rows[-1].first_load, case


@settings(max_examples=20, derandomize=True, deadline=None)
@given(
    demand=st.sampled_from(sorted(DEMANDS_MS)),
    cores=st.integers(1, 6),
    target=st.integers(1, 9),
    method=st.sampled_from(["grid", "dual"]),
    admit_on_departure=st.booleans(),
)
def test_tables_of_every_method_keep_up_where_one_thread_does(
    demand, cores, target, method, admit_on_departure
):
    search = {"method": method, "admit_on_departure": admit_on_departure}
    if method == "grid":
        search["step"] = "5ms"
        search["longest_interval"] = "1s"
    assert_keeps_up(Case(demand, cores, target, search))


@pytest.mark.parametrize("method", ["grid", "dual"])
def test_a_target_of_fewer_threads_than_cores_keeps_up_too(method):
    assert_keeps_up(Case("exponential", 6, 4, {"method": method}))
