"""Problem of token budgets: a language model's requests, its engine and the limits of latency."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailc.forms.budget_table import BudgetTable
from tailc.specs.slo import Slo

if TYPE_CHECKING:
    from tailc.traces.step_rows import StepRows
    from tailc.traces.tokens import TokenTrace


class BudgetObjective(enum.Enum):
    """Objective of token budgets.

    TAIL: the percentile of the first SLO, while the others are met. GOODPUT: the number of requests
    that meet all SLOs. RATE: the highest rate at which all SLOs are met.
    """

    TAIL = "tail"
    GOODPUT = "goodput"
    RATE = "rate"


class TokenMethod(enum.Enum):
    """The method by which token budgets are computed.

    AUTO: the best of fixed budgets and tables tuned on replays. ONE_STEP: the largest budget whose
    iteration meets the limit of times between tokens.
    """

    AUTO = "auto"
    ONE_STEP = "one-step"


class TokenEffort(enum.Enum):
    """Amount of simulation of the method AUTO for token budgets.

    It sets the sizes of searches and comparisons.
    """

    QUICK = "quick"
    NORMAL = "normal"
    THOROUGH = "thorough"


@dataclass(frozen=True, eq=False)
class TokenBudgetProblem:
    """The problem: token budgets of an iteration by decoding sequences and waiting prompt tokens.

    Attributes:
        trace: requests with their numbers of tokens.
        steps: measured times of iterations.
        kv_blocks, block_tokens: blocks of the key-value cache, and tokens in a block.
        max_sequences: largest number of sequences in an iteration.
        slos: limits of latency.
        rates_mrps: arrival rates; empty for the recorded rate.
        largest_budget: the most tokens that the engine accepts in an iteration.
        budget_step: budgets are multiples of it.
        effort: amount of simulation.
        is_monotone: whether no budget rises with decoding sequences, or falls with waiting tokens.
    """

    trace: TokenTrace
    steps: StepRows
    kv_blocks: int
    block_tokens: int
    max_sequences: int
    slos: tuple[Slo, ...]
    rates_mrps: tuple[int, ...]
    largest_budget: int
    effort: TokenEffort
    objective: BudgetObjective
    method: TokenMethod
    budget_step: int = 1
    is_monotone: bool = False


@dataclass(frozen=True)
class FitErrors:
    """Relative errors of the fitted iteration times, by cross-validation [1e-6].

    mean_ppm, worst_ppm: mean and largest error. segments: largest number of linear segments of a
    part of the time.
    """

    mean_ppm: int
    worst_ppm: int
    segments: int


@dataclass(frozen=True)
class TokenBudgetSolution:
    """A table of token budgets, and how it was found.

    static_tokens: the best fixed budget on the requests of the search; None if nothing was
    replayed. is_tuned: whether the table is better than that budget on requests that the search did
    not use; otherwise the table has that budget everywhere.
    """

    table: BudgetTable
    fit: FitErrors
    evaluations: int
    proof: str
    solver: str
    static_tokens: int | None = None
    is_tuned: bool = False
    rows: tuple[()] = ()
