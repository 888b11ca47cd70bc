"""A scheduler of vLLM that records the times of iterations for `engine.steps` of a spec.

    PYTHONPATH=examples/llm-server vllm serve MODEL \\
        --scheduler-cls recording_scheduler.RecordingScheduler \\
        --additional-config '{"tailc_steps": "steps.csv"}'

An iteration takes the time from the output of the iteration before it to its own output. If no
request runs after the output before it, it takes the time from its scheduling. So times are those
of the recorded batch also with asynchronous scheduling, which schedules an iteration before the one
before it ends.
"""

from __future__ import annotations

import time
from collections import deque
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
        self.batches: deque[tuple[int, Step]] = deque()
        self.output_ns, self.is_busy = 0, False

    def schedule(self, *args: Any, **kwargs: Any) -> Any:
        """The next batch of vLLM."""
        now_ns = time.perf_counter_ns()
        output, step = scheduled(self, partial(super().schedule, *args, **kwargs))
        self.batches.append((now_ns, step))
        return output

    def update_from_output(self, *args: Any, **kwargs: Any) -> Any:
        """Record the oldest batch without output, which has its output now."""
        now_ns = time.perf_counter_ns()
        scheduled_ns, step = self.batches.popleft()
        start_ns = self.output_ns if self.is_busy else max(scheduled_ns, self.output_ns)
        if step.prompt + step.decoding:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{','.join(map(str, step))},{(now_ns - start_ns) / 1e6:.3f}\n")
        outputs = super().update_from_output(*args, **kwargs)
        self.output_ns, self.is_busy = now_ns, bool(self.running)
        return outputs
