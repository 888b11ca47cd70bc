"""How tables of each form are tuned: what is tried, and on what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from tailc.errors import Code, Finding, TailcError
from tailc.forms.ladder.table import Ladder
from tailc.percentiles import PPM
from tailc.pipeline.queue.family import STARTS, lines
from tailc.pipeline.queue.space import Space
from tailc.pipeline.queue.trials import Form, on_ladder
from tailc.replay.clairvoyant.server import SharedServer, shared_server
from tailc.replay.queue_aim import QueueAim
from tailc.replay.subject import Subject
from tailc.replay.workload import Workload, workload
from tailc.traces.profile import DemandProfile


@dataclass(frozen=True, eq=False)
class Approach(Generic[Form]):
    """How to tune a formula's table, `base`.

    load: the requests that it was made from. cores: of the server. subject_of: what is replayed of
    a table. space_of: where a search begins, by the tail of the formula's table [us], and `starts`,
    from how many points. server: which a schedule that knows all sizes may use; None where no such
    schedule is known.
    """

    base: Form
    load: Workload
    cores: int
    subject_of: Callable[[Form], Subject]
    space_of: Callable[[int], Space[Form]]
    starts: int
    server: SharedServer | None = None


def approach_to(formula: Ladder, design: DemandProfile, aim: QueueAim) -> Approach[Ladder]:
    """Requests share cores; refuses where there is nothing to tune."""
    load = workload(design, formula)
    unit = formula.cost_units[0]
    if unit.capacity_ppm is None or (load.speed <= load.speed[:, :1]).all():
        message = "a table is tuned where requests share cores and are faster on more threads"
        hint = "give `max_degree` above 1 and speed-ups above 1, or another objective"
        raise unfit(message, hint, "speedup")
    cores = max(unit.capacity_ppm // PPM, 1)
    return Approach(
        base=formula,
        load=load,
        cores=cores,
        subject_of=on_ladder,
        space_of=lambda tail_us: lines(formula, tail_us, cores, may_wait=aim.may_wait),
        starts=STARTS,
        server=shared_server(formula),
    )


def unfit(message: str, hint: str, *about: str) -> TailcError:
    """What cannot be tuned."""
    return TailcError(Finding(Code.METHOD_UNFIT, message, help=hint, about=about))
