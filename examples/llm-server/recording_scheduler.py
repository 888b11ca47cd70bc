"""A scheduler of vLLM that records the times of iterations for `engine.steps` of a spec.

    PYTHONPATH=examples/llm-server vllm serve MODEL \\
        --scheduler-cls recording_scheduler.RecordingScheduler \\
        --additional-config '{"tailc_steps": "steps.csv"}'

An iteration takes the time between two calls of the scheduler, if requests are there at the second
one that were there at the first.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

from iterations import Step, scheduled
from vllm.v1.core.sched.async_scheduler import AsyncScheduler


class RecordingScheduler(AsyncScheduler):
    """vLLM's scheduler, which writes a line for each iteration."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.path = Path(self.vllm_config.additional_config["tailc_steps"])
        self.path.write_text("prompt,decoding,context,time\n", encoding="utf-8")
        self.last: tuple[int, Step] | None = None

    def schedule(self, *args: Any, **kwargs: Any) -> Any:
        """The next batch of vLLM; records the one before."""
        now_ns = time.perf_counter_ns()
        if self.last is not None and self.running:
            before_ns, step = self.last
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{','.join(map(str, step))},{(now_ns - before_ns) / 1e6:.3f}\n")
        output, step = scheduled(self, partial(super().schedule, *args, **kwargs))
        self.last = (now_ns, step) if step.prompt + step.decoding else None
        return output
