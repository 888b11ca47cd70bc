"""Compare the formula's climb ages with a feedback controller to the best table without one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from tailc.artifact.envelope import Evidence, Policy
from tailc.errors import Code, Finding, Severity
from tailc.experiment.sizes import Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.controller import Controller
from tailc.forms.ladder.table import Ladder
from tailc.models.core_types.model import CoreTypes
from tailc.models.execution_model import Subject
from tailc.models.steering import settling
from tailc.models.workload import Workload, workload
from tailc.percentiles import PPM
from tailc.pipeline.auto.comparison import ComparedTable, Comparison
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.holdback import Holdback
from tailc.pipeline.auto.rivals import Option
from tailc.progress import Progress
from tailc.specs.auto_settings import AutoChoice
from tailc.tuning.operating_point import operating_points
from tailc.tuning.samples import screening_sample
from tailc.tuning.tuning_problem import ladder_problem

STEERED, PLAIN = "formula with a controller", "table without a controller"


@dataclass(frozen=True)
class SteeredLadder:
    """A ladder with the feedback controller that scales its climb ages, or without one."""

    table: Ladder
    controller: Controller | None


@dataclass(frozen=True, eq=False)
class SteeredCores:
    """Simulated cores on which ladders with a controller are compared; implements `TableServer`."""

    load: Workload
    cores: int
    subject_of: Callable[[SteeredLadder], Subject]
    settling: int


def compare_steered(
    steered: Policy,
    plain: Policy,
    aim: TuningObjective,
    asked: AutoChoice,
    requests: Holdback,
    threads: int,
    progress: Progress,
) -> ComparedTable[SteeredLadder]:
    """Compare a policy with a feedback controller to a policy without one, the only baseline.

    steered: the policy with the controller. plain: the policy without.
    """
    (ages,), (table,) = steered.ladders, plain.ladders
    objective = replace(aim, limit_us=aim.target_us)
    problem = ladder_problem(ages, requests.searched, objective)
    server = SteeredCores(problem.load, problem.cores, _subject, settling(steered.controller))
    budget = Effort(asked.effort).budget
    progress("judging the controller", 1.0)
    with ThreadPoolExecutor(threads) as workers:
        scenes = operating_points(server.load, objective, server.settling)
        comparison = Comparison(
            server,
            [Option(PLAIN, SteeredLadder(table, None))],
            screening_sample(server, scenes, objective, budget.screening, Seed.DESIGN, workers),
            workload(requests.judging, ages),
            objective,
            budget,
            asked.risk_ppm / PPM,
            workers,
        )
        (found,) = comparison.compare([Option(STEERED, SteeredLadder(ages, steered.controller))])
    return found


def _subject(one: SteeredLadder) -> CoreTypes:
    return CoreTypes("table", (one.table,), steering=one.controller)


def steered_evidence(
    evidence: Evidence, compared: ComparedTable[SteeredLadder], requests: Holdback
) -> Evidence:
    """Make the evidence of a policy with a controller: its comparison with a policy without one."""
    settings = dict(evidence.settings) | {
        "controller_change_ppm": round(PPM * compared.change),
        "controller_loss_ppm": round(PPM * compared.loss_share),
        "judged_on": requests.judging.total_weight,
        "kept_out": int(requests.is_held_out),
    }
    return replace(evidence, settings=tuple(sorted(settings.items())))


def left_out_remark(compared: ComparedTable[SteeredLadder], risk: float) -> Finding:
    """Warn that the policy has no controller although the spec states one.

    risk: share of resamples in which a table may be worse.
    """
    message = "the policy has no controller: "
    if not all(compared.keeps):
        message += "with it the SLO is not reliably met"
    elif compared.change > 0:
        message += f"with it a request takes {compared.change:.1%} more energy than by the best "
        message += "table without one"
    else:
        where = f"in {compared.loss_share:.0%} of the resamples"
        if compared.loss_share <= risk:
            where = "on the requests of the comparison"
        message += f"with it the policy is worse {where} than the best table without one"
    hint = "set `search.method: dual` or another formula to compile the controller all the same"
    return Finding(Code.CONTROLLER_LEFT_OUT, message, None, hint, Severity.WARNING)
