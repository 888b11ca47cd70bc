"""What an iteration of vLLM batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Step(NamedTuple):
    """What an iteration batched: context is the tokens in the cache of its sequences before it."""

    prompt: int
    decoding: int
    context: int


def scheduled(scheduler: Any, schedule: Callable[[], Any]) -> tuple[Any, Step]:
    """What `schedule` returns, and the batch that it makes."""
    decodes = {one.request_id for one in scheduler.running if not one.is_prefill_chunk}
    before = {name: one.num_computed_tokens for name, one in scheduler.requests.items()}
    output = schedule()
    tokens = output.num_scheduled_tokens
    decoding = len(decodes & tokens.keys())
    prompt = sum(tokens.values()) - decoding
    return output, Step(prompt, decoding, sum(before[name] for name in tokens))
