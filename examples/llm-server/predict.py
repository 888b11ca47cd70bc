"""What tailc predicts of a policy and of static budgets: `predict.py POLICY TRACE RATE BUDGETS`.

Prints JSON: the requests (arrival [ns], tokens of prompt and output), and for the policy and each
static budget the times to the first token and between tokens [ns], and what each iteration batches.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tailc.artifact.files import read_policy
from tailc.experiment.token_replays import TokenExperiment
from tailc.forms.budget_table import BudgetTable, static_budget
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.models.token_batches.replay import iterations
from tailc.studies.held_out_tokens import read_held_out_tokens

MILLI = 1_000


def main(policy_file: str, trace: str, rate: str, budgets: str) -> None:
    """Print what is predicted."""
    policy = read_policy(Path(policy_file))
    assert policy.budget_table is not None
    held_out = read_held_out_tokens(policy, trace)
    experiment = TokenExperiment(held_out, round(float(rate) * MILLI))
    tables = {"policy": policy.budget_table}
    for tokens in budgets.split(","):
        tables[tokens] = static_budget(policy.budget_table.engine, int(tokens))
    requests = experiment.requests
    columns = (requests.arrival_ns, requests.prompt, requests.output)
    report = {
        "requests": [list(map(int, row)) for row in zip(*columns, strict=True)],
        "runs": {name: predicted(experiment, table) for name, table in tables.items()},
    }
    json.dump(report, sys.stdout)


def predicted(experiment: TokenExperiment, table: BudgetTable) -> dict[str, Any]:
    """Times and iterations of a replay."""
    scheduler = TokenScheduler("", "", table)
    log = experiment.outcome(scheduler).log
    return {
        "ttft_ns": log.ttft_ns.tolist(),
        "gap_ns": log.gap_ns.tolist(),
        "steps": iterations(scheduler, experiment.requests).tolist(),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
