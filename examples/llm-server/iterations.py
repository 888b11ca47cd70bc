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
    output = schedule()
    tokens = output.num_scheduled_tokens
    decoding = len(decodes & tokens.keys())
    batched = sum(tokens.values())
    # Sequences that start here have a cached prefix only now, and all count the batch as computed.
    computed = sum(scheduler.requests[name].num_computed_tokens for name in tokens)
    return output, Step(batched - decoding, decoding, computed - batched)
