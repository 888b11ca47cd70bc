"""The scheduler of vLLM and the script around it, with stand-ins for vLLM."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace

import pytest

from tailc.artifact.files import read_policy
from tailc.forms.step_times import step_ns
from tailc.pipeline.spec import open_kind
from tests.examples.scripts import script
from tests.tailc.artifact.published import VECTORS

FOLDER = Path(__file__).parents[2] / "examples" / "llm-server"

demo = script(FOLDER / "demo.py")
vllm_engine = sys.modules["vllm_engine"]
step_times = sys.modules["step_times"]
scaled_trace = script(FOLDER / "scaled_trace.py")
Step, Request = vllm_engine.Step, vllm_engine.Request
MS = 1_000_000


@dataclass
class Held:
    """A request in the scheduler."""

    num_tokens: int
    output: int = 1
    num_computed_tokens: int = 0
    is_prefill_chunk: bool = False
    request_id: str = ""
    cached: int = 0


class Base:
    """Batches every decoding sequence and then prompts, first come first served; finds the cached
    prefix of a prompt when it may start, as vLLM does."""

    def __init__(self, config, most_tokens=600, most_sequences=16):
        self.vllm_config = config
        self.max_num_scheduled_tokens = most_tokens
        self.max_num_active_reqs = most_sequences
        self.running, self.waiting, self.requests = [], [], {}
        self.is_shut = False

    def schedule(self):
        left, tokens = self.max_num_scheduled_tokens, {}
        starts = max(self.max_num_active_reqs - len(self.running), 0)
        coming = self.waiting[:starts]
        for one in coming:
            one.num_computed_tokens = one.cached
        for one in (*self.running, *coming):
            chunk = min(one.num_tokens - one.num_computed_tokens, left)
            if not chunk:
                break
            if one in coming:
                self.waiting.remove(one)
                self.running.append(one)
            tokens[one.request_id] = chunk
            one.num_computed_tokens += chunk
            one.is_prefill_chunk = one.num_computed_tokens < one.num_tokens
            left -= chunk
        return SimpleNamespace(num_scheduled_tokens=tokens)

    def update_from_output(self):
        pass

    def shutdown(self):
        self.is_shut = True


@pytest.fixture
def scheduler_class(monkeypatch):
    stand_in = ModuleType("vllm.v1.core.sched.async_scheduler")
    stand_in.AsyncScheduler = Base
    monkeypatch.setitem(sys.modules, stand_in.__name__, stand_in)
    return script(FOLDER / "budget_scheduler.py").BudgetScheduler


@pytest.fixture
def scheduler(scheduler_class, tmp_path):
    """A scheduler with the policy `budgets`: up to 15 decoding sequences, 1,024 to 2,048 tokens."""
    shutil.copy(VECTORS / "budgets.tailc", tmp_path / "policy.tailc")
    config = SimpleNamespace(additional_config={"tailc_policy": str(tmp_path / "policy.tailc")})
    made = scheduler_class(config, most_tokens=3_000, most_sequences=64)
    yield made
    made.shutdown()


def decoding(count):
    return [Held(101, 9, 100, request_id=f"d{n}") for n in range(count)]


def test_the_budget_is_that_of_the_sequences_that_decode_and_the_prompts_that_wait(scheduler):
    scheduler.running = [*decoding(3), Held(5_000, 1, 4_500, is_prefill_chunk=True)]
    scheduler.waiting = [Held(523), Held(1, 1)]
    scheduler.schedule()
    assert scheduler.max_num_scheduled_tokens == 1_536
    assert scheduler.max_num_active_reqs == 4 + 8


@pytest.mark.parametrize(
    ("running", "waiting", "tokens", "sequences"),
    [(0, 9_000, 3_000, 64), (60, 9_000, 60, 60), (17, 0, 512, 19), (62, 0, 62, 62)],
)
def test_decoding_sequences_have_a_token_and_the_engine_no_more_than_it_was_made_for(
    scheduler, running, waiting, tokens, sequences
):
    scheduler.running, scheduler.waiting = decoding(running), [Held(waiting)]
    scheduler.schedule()
    found = scheduler.max_num_scheduled_tokens, scheduler.max_num_active_reqs
    assert found == (tokens, sequences)


def test_a_policy_that_replaces_the_file_is_used(scheduler, tmp_path):
    scheduler.running = decoding(1)
    shutil.copy(VECTORS / "budgets-smallest.tailc", tmp_path / "new")
    (tmp_path / "new").replace(tmp_path / "policy.tailc")
    scheduler.policy.check()
    scheduler.schedule()
    assert scheduler.max_num_scheduled_tokens == 1


def test_a_damaged_file_leaves_the_policy_in_force(scheduler, tmp_path):
    (tmp_path / "policy.tailc").write_bytes(b"damaged")
    scheduler.policy.check()
    scheduler.running = decoding(1)
    scheduler.schedule()
    assert scheduler.max_num_scheduled_tokens == 1_024


def test_the_watch_ends_with_the_scheduler(scheduler):
    scheduler.shutdown()
    assert scheduler.is_shut
    assert scheduler.policy._thread is None


@pytest.fixture
def recorded(scheduler_class, tmp_path, monkeypatch):
    """Records the calls of a scheduler at times [ms] with two prompts, and returns the rows."""
    made = script(FOLDER / "recording_scheduler.py").RecordingScheduler
    assert scheduler_class.__mro__[1] is made.__mro__[1]
    config = SimpleNamespace(additional_config={"tailc_steps": str(tmp_path / "steps.csv")})
    recording = made(config)
    for name, held in (("a", Held(700, 2)), ("b", Held(100, 2))):
        held.request_id = name
        recording.requests[name] = held
        recording.waiting.append(held)

    def rows(calls):
        for at_ms, call in calls:
            monkeypatch.setattr("time.perf_counter_ns", lambda at_ms=at_ms: at_ms * MS)
            call(recording)
        monkeypatch.undo()
        return (tmp_path / "steps.csv").read_text().splitlines()

    return rows


def schedule(recording):
    recording.schedule()


def update(recording):
    """The output of the oldest batch: a token for each prompt that is complete."""
    recording.update_from_output()
    for one in recording.running:
        one.num_tokens += not one.is_prefill_chunk


def end_all(recording):
    recording.running.clear()
    update(recording)


def test_an_iteration_takes_the_time_to_its_output(recorded):
    calls = [(100, schedule), (160, update), (161, schedule), (190, end_all), (500, schedule)]
    calls += [(501, update)]  # Without requests, so without a row.
    assert recorded(calls) == [
        "prompt,decoding,context,time", "600,0,0,60.000", "200,0,600,30.000"]  # fmt: skip


def test_an_iteration_after_an_idle_time_takes_the_time_from_its_scheduling(recorded):
    calls = [(100, schedule), (160, end_all), (500, schedule), (507, update)]
    assert recorded(calls)[2] == "100,0,0,7.000"


def test_an_iteration_that_is_scheduled_before_the_one_before_it_ends_has_its_own_time(recorded):
    calls = [(100, schedule), (101, schedule), (160, update), (161, schedule), (190, update)]
    assert recorded(calls)[1:] == ["600,0,0,60.000", "200,0,600,30.000"]


def test_the_context_of_an_iteration_has_the_cached_prefix_of_sequences_that_start(recorded):
    def with_prefix(recording):
        recording.requests["a"].cached = 512
        recording.schedule()

    assert recorded([(100, with_prefix), (120, update)])[1] == "288,0,512,20.000"


@dataclass
class Server:
    """An engine of vLLM that runs a scheduler, and nothing else."""

    scheduler: Base
    left: dict[str, int] = field(default_factory=dict)

    def add_request(self, name, prompt, sampling):
        one = Held(len(prompt["prompt_token_ids"]), sampling.max_tokens, request_id=name)
        self.scheduler.requests[name] = one
        self.scheduler.waiting.append(one)

    def has_unfinished_requests(self):
        return bool(self.scheduler.requests)

    def abort_request(self, names):
        for name in names:
            self.scheduler.running.remove(self.scheduler.requests.pop(name))

    def step(self):
        names = self.scheduler.schedule().num_scheduled_tokens
        emitted = [name for name in names if not self.scheduler.requests[name].is_prefill_chunk]
        for name in emitted:
            one = self.scheduler.requests[name]
            one.num_tokens, one.output = one.num_tokens + 1, one.output - 1
            if not one.output:
                self.scheduler.running.remove(self.scheduler.requests.pop(name))
        return [SimpleNamespace(request_id=name) for name in emitted]


@pytest.fixture
def engine(scheduler, monkeypatch):
    stand_in = ModuleType("vllm")
    stand_in.SamplingParams = SimpleNamespace
    monkeypatch.setitem(sys.modules, "vllm", stand_in)
    made = vllm_engine.Engine.__new__(vllm_engine.Engine)
    made.attach(Server(scheduler), scheduler)
    return made


def test_a_replay_counts_time_by_what_the_engine_batched(engine):
    """Two prompts of 600 tokens at a budget of 1,000: the second one is completed second."""
    requests = [Request(0, 600, 2), Request(0, 600, 1)]
    run = engine.replay(requests, lambda p, d, c: 10 * p + d + c, 1_000)
    assert run.steps == [Step(1_000, 0, 0), Step(200, 1, 600 + 400)]
    assert run.ttft_ns == [10_000, 10_000 + 2_000 + 1 + 1_000]
    assert run.gap_ns == [3_001]


def test_an_idle_engine_waits_for_the_next_arrival(engine):
    run = engine.replay([Request(5, 10, 1), Request(500, 20, 1)], lambda *step: step[0], None)
    assert run.ttft_ns == [10, 20]
    assert engine.scheduler.policy.current.max_sequences == 64


def test_profiles_have_iterations_that_mix_prompts_and_decoding(engine):
    engine.scheduler.most_sequences = 32
    steps = [step for step, _ms in engine.profile()]
    assert Step(512, 8, 0) in [step._replace(context=0) for step in steps]
    assert {step.decoding for step in steps} == set(vllm_engine.DECODING)
    assert {step.prompt for step in steps if step.decoding == 32} == {0}


def test_the_model_clock_is_that_of_the_policy():
    clock = step_times.StepTimes(VECTORS / "budgets.json")
    table = read_policy(VECTORS / "budgets.json").budget_table
    assert table is not None
    rng = Random(1)
    for _ in range(50):
        batch = rng.randrange(3_000), rng.randrange(80), rng.randrange(200_000)
        assert clock.ns(*batch) == step_ns(table.engine.step, *batch)


def test_a_trace_is_scaled_and_cut_into_two(tmp_path):
    rows = "".join(f"{n}.5,{80 * n + 3},{n}\n" for n in range(70))
    (tmp_path / "trace.csv").write_text("time,prompt,output\n" + rows)
    scaled_trace.main(str(tmp_path / "trace.csv"), "8", str(tmp_path))
    design = (tmp_path / "design.csv").read_text().splitlines()
    held_out = (tmp_path / "heldout.csv").read_text().splitlines()
    assert (len(design), len(held_out)) == (61, 11)
    assert design[:2] == ["time,prompt,output", "0.500,1,2"]
    assert held_out[-1] == "69.500,690,8"


PROFILE = [(Step(0, 8, 1_000), 8.0), (Step(0, 8, 16), 7.0), (Step(192, 8, 1_030), 32.0)]


def test_the_rate_uses_most_of_the_engine():
    """A prompt token takes 24 / 192 ms, and a token of a batch of eight 1 ms."""
    assert demo.rate_of(PROFILE, [(96, 8)]) == 42
    assert demo.rate_of(PROFILE, [(96, 8), (32, 24)]) == pytest.approx(35)


def test_the_spec_is_read(tmp_path):
    more = [(Step(64 * n, n, 0), 1.0 + n) for n in range(1, 4)]
    demo.write_profile(tmp_path / "steps.csv", [*PROFILE, *more])
    demo.write_spec(tmp_path / "service.yaml", PROFILE, 40.0, 4_095)
    open_kind(str(tmp_path / "service.yaml"))
    assert (tmp_path / "steps.csv").read_text().splitlines()[1] == "0,8,1000,8.0000"
    assert "latency: 32ms" in (tmp_path / "service.yaml").read_text()


def test_a_run_is_compared_step_by_step():
    run = vllm_engine.Run([1 * MS, 3 * MS], [2 * MS], [Step(1, 0, 0), Step(0, 1, 1)], 1.5)
    predicted = {"ttft_ns": [1 * MS, 4 * MS], "gap_ns": [2 * MS], "steps": [[1, 0, 0], [0, 1, 2]]}
    clock = SimpleNamespace(ns=lambda p, d, c: (p + d) * 10**9 + 0 * c)
    found = demo.compared("64", predicted, run, clock)
    assert found == demo.Comparison("64", (4.0, 3.0), (2.0, 2.0), 1, 2, 1.5, 2.0)
    assert " ".join(found.line().split()) == "64 4.0 3.0 2.0 2.0 1 of 2 1.5 2.0"
