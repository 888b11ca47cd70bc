"""A scheduler of vLLM that looks up the token budget of each iteration in a policy of tailc.

    PYTHONPATH=examples/llm-server vllm serve MODEL \\
        --scheduler-cls budget_scheduler.BudgetScheduler \\
        --additional-config '{"tailc_policy": "chat.tailc"}'

A policy that replaces the file is used within a second. vLLM's interface of schedulers is not
public: this class was tested with version 0.32.
"""

from __future__ import annotations

from typing import Any

from tailc_runtime import watch_budget_table
from vllm.v1.core.sched.async_scheduler import AsyncScheduler


class BudgetScheduler(AsyncScheduler):
    """vLLM's scheduler, with another token budget in each iteration."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.most_tokens = self.max_num_scheduled_tokens
        self.most_sequences = self.max_num_active_reqs
        self.policy = watch_budget_table(self.vllm_config.additional_config["tailc_policy"])
        self.policy.start()

    def schedule(self, *args: Any, **kwargs: Any) -> Any:
        """The next batch: decoding sequences, and prompts within the budget of the policy."""
        prompts = [request for request in self.running if request.is_prefill_chunk]
        decoding = len(self.running) - len(prompts)
        prompts.extend(self.waiting)
        waiting = sum(one.num_tokens - one.num_computed_tokens for one in prompts)
        budget, starts = self.policy.current.lookup(decoding, waiting)
        # Every decoding sequence has a token, and no engine batches more than it was made for.
        self.max_num_scheduled_tokens = min(max(budget, decoding), self.most_tokens)
        self.max_num_active_reqs = min(len(self.running) + starts, self.most_sequences)
        return super().schedule(*args, **kwargs)

    def shutdown(self) -> None:
        """End the thread that watches the policy."""
        self.policy.stop()
        super().shutdown()
