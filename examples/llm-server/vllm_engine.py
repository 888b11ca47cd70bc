"""A vLLM engine in this process, with a tiny model, stepped by hand."""

from __future__ import annotations

import itertools
import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

from iterations import Step, scheduled

# Before vLLM is imported: one process, one thread, nothing is downloaded or reported.
os.environ.update(
    VLLM_CPU_KVCACHE_SPACE="1",
    VLLM_NO_USAGE_STATS="1",
    HF_HUB_OFFLINE="1",
    OMP_NUM_THREADS="1",
    VLLM_CPU_OMP_THREADS_BIND="nobind",
    VLLM_ENABLE_V1_MULTIPROCESSING="0",
    VLLM_LOGGING_LEVEL="WARNING",
)

VOCABULARY = 4096
MODEL = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 256,
    "intermediate_size": 1024,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 16_384,
    "rms_norm_eps": 1e-6,
    "hidden_act": "silu",
    "tie_word_embeddings": True,
    "torch_dtype": "float32",
}
BLOCK = 32
"""Tokens of a block of the key-value cache."""
PROMPTS = (0, 8, 16, 32, 64, 128, 192, 256, 384, 512)
DECODING = (0, 1, 2, 4, 8, 16, 31, 32)
CONTEXTS = (16, 128, 384)
"""What measured iterations batch: prompt tokens, decoding sequences, tokens of each of these."""
REPEATS = 3


Clock = Callable[[int, int, int], int]
"""Time of an iteration [ns] by its prompt tokens, decoding sequences and context."""


class Request(NamedTuple):
    """A request that arrives at a time, with numbers of tokens."""

    arrival_ns: int
    prompt: int
    output: int


@dataclass
class Run:
    """Times of a replay [ns] by the model clock, its steps, and its processor time [s]."""

    ttft_ns: list[int] = field(default_factory=list)
    gap_ns: list[int] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    cpu_s: float = 0.0


class Engine:
    """An engine whose iterations are run one by one."""

    def __init__(self, folder: Path, policy: Path, most_tokens: int, most_sequences: int) -> None:
        from vllm import EngineArgs, LLMEngine

        (folder / "model").mkdir(parents=True, exist_ok=True)
        (folder / "model" / "config.json").write_text(json.dumps(MODEL), encoding="utf-8")
        arguments = EngineArgs(
            model=str(folder / "model"),
            load_format="dummy",
            skip_tokenizer_init=True,
            dtype="float32",
            enforce_eager=True,
            enable_prefix_caching=False,
            async_scheduling=False,
            distributed_executor_backend="uni",
            scheduler_cls="budget_scheduler.BudgetScheduler",
            additional_config={"tailc_policy": str(policy)},
            max_num_batched_tokens=most_tokens,
            max_num_seqs=most_sequences,
            max_model_len=4_096,
            block_size=BLOCK,
        )
        engine = LLMEngine.from_engine_args(arguments)
        self.attach(engine, engine.engine_core.engine_core.scheduler)
        # vLLM uses one block for itself.
        self.kv_blocks = self.scheduler.kv_cache_config.num_blocks - 1

    def limit_blocks(self, kv_blocks: int) -> None:
        """Leave only this number of blocks of the cache to requests, so that vLLM preempts some."""
        pool = self.scheduler.kv_cache_manager.block_pool
        pool.get_new_blocks(pool.get_num_free_blocks() - kv_blocks)
        self.kv_blocks = kv_blocks

    def attach(self, engine: Any, scheduler: Any) -> None:
        """Step this engine, and record what its scheduler batches."""
        self._engine, self.scheduler = engine, scheduler
        self._names, self._rng = map(str, itertools.count()), Random(0)
        scheduler.schedule = self._schedule

    def add(self, prompt: int, output: int) -> str:
        """A request with a random prompt; returns its name."""
        from vllm import SamplingParams

        name = next(self._names)
        tokens = [self._rng.randrange(VOCABULARY) for _ in range(prompt)]
        sampling = SamplingParams(max_tokens=output, ignore_eos=True, detokenize=False)
        self._engine.add_request(name, {"prompt_token_ids": tokens}, sampling)
        return name

    def step(self) -> tuple[Step, list[str]]:
        """Run an iteration; returns what it batched, and the requests that have a new token."""
        outputs = self._engine.step()
        return self._batched, [output.request_id for output in outputs]

    def _schedule(self, *args: Any, **kwargs: Any) -> Any:
        """Schedule an iteration, and record what it batches."""
        schedule = partial(type(self.scheduler).schedule, self.scheduler, *args, **kwargs)
        output, self._batched = scheduled(self.scheduler, schedule)
        return output

    @contextmanager
    def _budget(self, tokens: int) -> Iterator[None]:
        """One budget for all iterations, as vLLM has it, instead of the policy's."""
        policy, self.scheduler.policy = self.scheduler.policy, _Static(tokens)
        yield
        self.scheduler.policy = policy

    def profile(self) -> Iterator[tuple[Step, float]]:
        """Measured iterations of all sizes, with their processor time [ms]."""
        with self._budget(self.scheduler.most_tokens):
            for decoding in DECODING:
                for context in CONTEXTS if decoding else (0,):
                    yield from self._measured(decoding, context)

    def _measured(self, decoding: int, context: int) -> Iterator[tuple[Step, float]]:
        """Iterations of prompts of all sizes, with sequences that decode."""
        held = [self.add(context, 4_096 - context - 1) for _ in range(decoding)]
        for _ in held:
            self.step()
        starts = decoding < self.scheduler.most_sequences
        for prompt in PROMPTS if starts else (0,):
            if prompt + decoding:
                yield self._median(min(prompt, self.scheduler.most_tokens - decoding))
        self._engine.abort_request(held)

    def _median(self, prompt: int) -> tuple[Step, float]:
        """An iteration with a prompt of this size, and the median of its processor times [ms]."""
        batched, times = Step(0, 0, 0), []
        for _ in range(REPEATS):
            if prompt:
                self.add(prompt, 1)
            before_s = time.process_time()
            batched, _ = self.step()
            times.append(1e3 * (time.process_time() - before_s))
        return batched, median(times)

    def replay(self, requests: Sequence[Request], clock_ns: Clock, budget: int | None) -> Run:
        """Run requests by a model clock: an iteration ends after the time of what it batched.

        budget: one for all iterations; None uses the policy's.
        """
        if budget is None:
            return self._replay(requests, clock_ns)
        with self._budget(budget):
            return self._replay(requests, clock_ns)

    def _replay(self, requests: Sequence[Request], clock_ns: Clock) -> Run:
        run, now_ns, before_s = Run(), 0, time.process_time()
        waiting, last_ns, started = deque(requests), dict[str, int](), set[str]()
        while waiting or self._engine.has_unfinished_requests():
            if not self._engine.has_unfinished_requests():
                now_ns = max(now_ns, waiting[0].arrival_ns)
            while waiting and waiting[0].arrival_ns <= now_ns:
                one = waiting.popleft()
                last_ns[self.add(one.prompt, one.output)] = one.arrival_ns
            batched, emitted = self.step()
            now_ns += clock_ns(*batched)
            run.steps.append(batched)
            for name in emitted:
                of = run.gap_ns if name in started else run.ttft_ns
                of.append(now_ns - last_ns[name])
                last_ns[name] = now_ns
                started.add(name)
        run.cpu_s = time.process_time() - before_s
        return run


class _Static:
    """One budget for all states."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens

    @property
    def current(self) -> _Static:
        """This budget."""
        return self

    def lookup(self, _decoding: int, _waiting: int) -> tuple[int, int]:
        """The budget, and no limit of starts."""
        return self._tokens, self._tokens
