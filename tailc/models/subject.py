"""What is replayed: a policy's ladders or clocks, or a baseline's, and which each request meets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.lanes import AT_ONCE_AWAKE, Waking
from tailc.forms.ladder.table import Ladder, Rule
from tailc.models.core_queues.arrays import Clockwork, clock_table
from tailc.models.core_queues.clocks import Clocks
from tailc.models.core_types.arrays import CoreTable, core_table
from tailc.models.shared_cores.arrays import Lowered, lower
from tailc.models.steering import Steering
from tailc.models.workload import Workload, clocked_workload, workload
from tailc.traces.profile import DemandProfile


@dataclass(frozen=True, eq=False)
class Subject:
    """One way to run the requests of a workload on one server: on ladders, or on clocks.

    ladders: all on the same rungs and cost units, with the same quantum, rules and boost.
    ladder_of: int32 (records,), the ladder each record climbs; None: all climb the first.
    boosts_at_start: whether a request that starts on the last rung can be boosted as one that
    climbs there; no policy asks for it, but fixed parallelism with boosting does.
    note: what was chosen for it, for people ("threshold 225 ms"), or nothing.
    steering: what scales the ages of climbs, on cores only, or the bound of clocks; None: they hold
    as written.
    random_seed: on cores only, requests start on a random core, and stay there.
    cores_on: on cores only, how many of each unit are on, 0 for none; None: all.
    measures_warm_up: whether what comes before the server has settled counts too.
    clocks: cores whose frequency follows from what they hold; None: there are ladders.
    waking: on lanes only, how long batch work, or a core without any, takes to wake up.
    has_batch: on lanes only, whether there is batch work.
    """

    name: str
    ladders: tuple[Ladder, ...] = ()
    ladder_of: NDArray[np.int32] | None = None
    boosts_at_start: bool = False
    note: str = ""
    steering: Steering | None = None
    random_seed: int | None = None
    cores_on: tuple[int, ...] | None = None
    measures_warm_up: bool = False
    clocks: Clocks | None = None
    waking: Waking = AT_ONCE_AWAKE
    has_batch: bool = True

    def __post_init__(self) -> None:
        assert (self.clocks is None) == bool(self.ladders)
        assert self.ladder_of is None or int(self.ladder_of.max()) < len(self.ladders)


def is_on_cores(subject: Subject) -> bool:
    """Whether a running request has a core to itself."""
    return subject.clocks is not None or Rule.CORE_PER_REQUEST in subject.ladders[0].rules


def workload_for(profile: DemandProfile, subject: Subject) -> Workload:
    """The profile at the speeds that requests have on the subject's rungs, or at its levels."""
    if subject.clocks is not None:
        return clocked_workload(profile, subject.clocks)
    return workload(profile, subject.ladders[0])


def table_of(
    subject: Subject, rate_mrps: int, most_in_system: int, *, cut_off_us: int | None = None
) -> Lowered | CoreTable | Clockwork:
    """What an engine reads of a subject, for loads up to `most_in_system`; see `lower`.

    On clocks nothing cuts a request off.
    """
    if subject.clocks is not None:
        assert cut_off_us is None
        return clock_table(subject.clocks, subject.steering)
    if not is_on_cores(subject):
        return lower(
            subject.ladders,
            rate_mrps,
            most_in_system,
            cut_off_us=cut_off_us,
            boosts_at_start=subject.boosts_at_start,
        )
    return core_table(
        subject.ladders,
        rate_mrps,
        most_in_system,
        cut_off_us=cut_off_us,
        steering=subject.steering,
        random_seed=subject.random_seed,
        cores_on=subject.cores_on,
        waking=_waking(subject),
    )


def _waking(subject: Subject) -> Waking:
    """Of batch work if there is some, else of cores."""
    told = subject.waking
    return Waking(batch_ns=told.batch_ns) if subject.has_batch else Waking(core_ns=told.core_ns)
