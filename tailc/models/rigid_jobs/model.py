"""Execution model of the rigid jobs of a plan: replays, reported quantities and words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tailc.forms.plan.ledger import ledger_of
from tailc.forms.plan.plan import Epoch, Plan, Pool, PoolPrices
from tailc.forms.plan.quote import quote
from tailc.models.datacentre.aligned_epochs import epoch_of
from tailc.models.datacentre.course import Course
from tailc.models.datacentre.job_model import BaselineOutcomes, JobModel, JobWords, Replay
from tailc.models.datacentre.quantities import (
    UDOLLARS,
    JobQuantity,
    QuantitySample,
    QuantitySamples,
    energy_samples,
)
from tailc.models.datacentre.supply import Whole
from tailc.models.datacentre.window import JobWindow
from tailc.models.rigid_jobs.engine import replay_rigid
from tailc.models.rigid_jobs.jobs import SubmittedJob, rigid_jobs_of
from tailc.models.rigid_jobs.outcome import RigidOutcome
from tailc.models.rigid_jobs.planner import Planner, View
from tailc.models.rigid_jobs.site import Site
from tailc.models.rule_baselines import RuleBaseline, RuleBaselines, rules_in

_LEGEND = """\
Means of a window. profit: what jobs paid less penalties and the price of brown energy; spilled:
green energy that nothing drew; violations: admitted jobs that missed green energy promised to them;
over: by how much the policy has more than a baseline, within the same windows."""


@dataclass(frozen=True, eq=False)
class RigidJobs(JobModel[RigidOutcome]):
    """The model of rigid jobs (fixed number of servers) on the racks of a plan.

    seed: of server failures. rule: name of the baseline that decides about jobs; None: the plan's
    prices. more: further baselines.
    """

    plan: Plan
    site: Site
    seed: int
    rule: str | None = None
    more: tuple[RuleBaseline[Planner], ...] = ()

    words: ClassVar = JobWords(
        "rigid", "green energy of jobs", "admitted jobs miss their green energy", _LEGEND
    )
    judged: ClassVar = JobQuantity.VIOLATIONS
    servers_fail: ClassVar = True
    relative_to: ClassVar = ()

    @property
    def baselines(self) -> RuleBaselines[Planner]:
        """The baselines that can decide about rigid jobs, by name."""
        return rules_in("tailc.models.rigid_jobs.baselines").with_more(self.more)

    @property
    def policy(self) -> Replay[RigidOutcome]:
        """The replay in which the plan decides about jobs: by its rule, or by its prices.

        The prices are those of the same time of day.
        """
        if self.rule is not None:
            return self.baseline(self.rule)
        return lambda window: self._replay(
            window, PriceAdmission(self.plan, epoch_of(self.plan, window.start_unix_s))
        )

    def baseline(self, name: str) -> Replay[RigidOutcome]:
        """The replay of a baseline, whose planner places the jobs.

        Raises TailcError (USAGE) for an unknown baseline.
        """
        baselines = self.baselines
        return lambda window: self._replay(window, baselines.make_rule(name))

    def samples(
        self,
        outcomes: Sequence[RigidOutcome],
        baseline: BaselineOutcomes[RigidOutcome],  # noqa: ARG002 - no quantity is relative
    ) -> QuantitySamples:
        """Compute profit, energy, and the shares of admitted jobs and of broken promises."""
        settled = [one.settled for one in outcomes]
        admitted = [len(one) for one in settled]
        missed = [sum(job.is_missed for job in one) for one in settled]
        return {
            JobQuantity.PROFIT: QuantitySample.from_values(
                [one.profit_udollars / UDOLLARS for one in outcomes]
            ),
            **energy_samples([ledger_of(one.entries) for one in outcomes]),
            JobQuantity.ADMITTED: QuantitySample.ratio(
                admitted, [one.submitted for one in outcomes]
            ),
            JobQuantity.VIOLATIONS: QuantitySample.ratio(missed, admitted),
        }

    def course(self, window: JobWindow, outcome: RigidOutcome) -> Course:
        """The time series of a replay, with the green power that was forecast at its start."""
        forecast_mw = tuple(window.expected.ahead(0, window.supply.epochs).green_mw.tolist())
        return course_of(self.site.epoch_s, rigid_jobs_of(window), outcome, forecast_mw)

    def _replay(self, window: JobWindow, planner: Planner) -> RigidOutcome:
        jobs, supply, expected = rigid_jobs_of(window), window.supply, window.expected
        return replay_rigid(self.site, supply, expected, jobs, planner, self.seed)


def course_of(
    epoch_s: int,
    jobs: Sequence[SubmittedJob],
    outcome: RigidOutcome,
    forecast_mw: tuple[int, ...] | None,
) -> Course:
    """The time series of a replay of the jobs.

    A job begins or is refused when the planner decides, at the start of the first epoch after its
    submission.
    """
    settled = {one.number for one in outcome.settled}
    edges_s = tuple(epoch * epoch_s for epoch in range(len(outcome.entries) + 1))
    decided = [
        (-(-max(job.submit_s, 0) // epoch_s) * epoch_s, job.number in settled) for job in jobs
    ]
    refused_s = (at_s for at_s, has_begun in decided if not has_begun)
    return Course(
        edges_s,
        outcome.entries,
        forecast_mw,
        begun_s=tuple(at_s for at_s, has_begun in decided if has_begun),
        refused_s=tuple(at_s for at_s in refused_s if at_s < edges_s[-1]),
    )


# Index of the green pool of the two.
_GREEN = 1


class PriceAdmission:
    """Rule that admits rigid jobs by the prices of a plan at the same time of day."""

    def __init__(self, plan: Plan, epoch_of: Callable[[int], int]) -> None:
        """epoch_of: the plan's epoch for an epoch of the replay."""
        self._plan = plan
        self._epoch_of = epoch_of
        self._prices = colour_prices(plan)

    def admit(self, view: View, job: SubmittedJob) -> Whole | None:
        """Place a new job if it pays more than its servers cost at the plan's prices.

        Returns int64 (racks, epochs); None: the job is refused.
        """
        epochs = job.epochs(view.site.epoch_s)
        free = view.free(epochs)
        racks = view.site.green_racks(view.ahead.green_mw[:epochs])
        is_green = np.arange(view.site.racks)[:, None] >= view.site.racks - racks[None, :]
        by_colour = np.stack(((free * ~is_green).sum(axis=0), (free * is_green).sum(axis=0)))
        offer = quote(self._as_two_pools(view, epochs), by_colour, view.rigid(job))
        if not offer.is_admitted or offer.places is None:
            return None
        return assign_racks(free, racks, offer.places[_GREEN], job.width)

    def revise(self, view: View) -> dict[int, Whole]:  # noqa: ARG002
        return {}

    def _as_two_pools(self, view: View, epochs: int) -> Plan:
        """The next epochs as a plan with a brown and a green pool, at this plan's prices."""
        site = view.site
        pools = tuple(
            Pool(name, site.servers, site.busy_mw, site.asleep_mw, site.migration_mj)
            for name in ("brown", "green")
        )
        at = [self._epoch_of(view.epoch + number) for number in range(epochs)]
        prices = tuple(PoolPrices(tuple(row[epoch] for epoch in at)) for row in self._prices)
        return replace(
            self._plan,
            pools=pools,
            epochs=(Epoch(0, 0, 0, _GREEN),) * epochs,
            jobs=(),
            prices=prices,
            battery=None,
        )


def colour_prices(plan: Plan) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Price of a server on the brown and on the green bus in each epoch [udollars].

    The lowest price of the pools on that bus. Without such a pool, brown costs as much as the
    cheapest pool, and green as much as the most expensive one.
    """
    rows = []
    for is_green, otherwise in ((False, min), (True, max)):
        row = []
        for epoch in range(len(plan.epochs)):
            prices = [one.udollars[epoch] for one in plan.prices]
            of_colour = [
                price for pool, price in enumerate(prices) if plan.is_green(pool, epoch) is is_green
            ]
            row.append(min(of_colour, default=otherwise(prices)))
        rows.append(tuple(row))
    return rows[0], rows[1]


def assign_racks(free: Whole, green_racks: Whole, on_green: Whole, width: int) -> Whole:
    """Choose the racks of a job's servers in each epoch; int64 (racks, epochs).

    free: int64 (racks, epochs). green_racks, on_green: int64 (epochs,), number of green racks from
    the greenest on, and number of the job's servers to place on them. In each epoch the job keeps
    its places as far as they are free and on the right bus. The rest go to the greenest free green
    racks and to the brownest free brown racks, which a change of the boundary reaches last. Each
    bus must have enough room.
    """
    places = np.zeros_like(free)
    before = np.zeros(len(free), np.int64)
    for epoch in range(free.shape[1]):
        first_green = len(free) - int(green_racks[epoch])
        room = free[:, epoch]
        wanted = int(on_green[epoch])
        green = _take(room[first_green:][::-1], before[first_green:][::-1], wanted)[::-1]
        brown = _take(room[:first_green], before[:first_green], width - wanted)
        before = np.concatenate((brown, green))
        places[:, epoch] = before
    return places


def _take(room: Whole, before: Whole, wanted: int) -> Whole:
    """A number of servers: the places before first, then from the first rack on."""
    unmoved = _first(np.minimum(room, before), wanted)
    return unmoved + _first(room - unmoved, wanted - int(unmoved.sum()))


def _first(room: Whole, wanted: int) -> Whole:
    """Servers from the first rack on, as many as are free or wanted."""
    ahead = np.cumsum(room) - room
    return np.clip(wanted - ahead, 0, room)
