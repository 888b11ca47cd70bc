"""A plan in memory: places of its jobs, sources of power, and admission of further jobs."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from tailc_runtime.counters import Counters
from tailc_runtime.errors import BadMeaning
from tailc_runtime.plan_battery import Stored, stored_by_epoch
from tailc_runtime.plan_meaning import check_plan
from tailc_runtime.plan_pricing import PPM, Pricing, Quote, spans_of
from tailc_runtime.raw import Head, RawPlan, RawSpan

GREEN, BROWN, MIXED = "green", "brown", "mixed"
LARGEST_JOB = 2**20


class Plan:
    """Jobs and energy of a datacentre by epoch, and the remaining free servers.

    Pools and epochs are numbered from 0; `pools` and `epochs` describe them in the order of the
    policy, `terms` and `malleable` the terms of jobs, `battery` the battery or None, `grid_mw` the
    power that is bought at negative prices or None, and `later_jobs` the rule that decides about
    other jobs, None for the prices of the plan. Times are Unix seconds. Changes by `admit`, `take`
    and `release` are kept in memory only; a plan that is opened again has only its own jobs.
    Methods that change something raise ValueError first if a name is already used, or unknown.
    """

    def __init__(self, head: Head, raw: RawPlan, counters: Counters) -> None:
        check_plan(raw)
        self.name = head.name
        self.kind = head.kind
        self.generation = head.generation
        self.policy_digest = head.policy_digest
        self.counters = counters
        self.start_unix_s = raw.start_unix_s
        self.epoch_s = raw.epoch_s
        self.pools = raw.pools
        self.epochs = raw.epochs
        self.prices = raw.prices
        self.terms = raw.terms
        self.malleable = raw.malleable
        self.violations_ppm = raw.violations_ppm
        self.battery = raw.battery
        self.grid_mw = raw.grid_mw
        self.later_jobs = raw.later_jobs
        self._pricing = Pricing(raw)
        self._places = {job.name: job.spans for job in raw.jobs}
        self._free = [[pool.servers for pool in raw.pools] for _ in raw.epochs]
        for job in raw.jobs:
            self._move(job.spans, -1)
        if min(map(min, self._free)) < 0:
            raise BadMeaning("the jobs of an epoch use more servers of a pool than it has")
        self._stored = stored_by_epoch(raw)

    @property
    def jobs(self) -> tuple[str, ...]:
        """Names of all jobs with places."""
        return tuple(self._places)

    def epoch_at(self, unix_s: int) -> int | None:
        """Epoch of a time; None outside the plan."""
        epoch = (unix_s - self.start_unix_s) // self.epoch_s
        if 0 <= epoch < len(self.epochs):
            return epoch
        self.counters.outside += 1
        return None

    def source(self, pool: int, unix_s: int) -> str | None:
        """Bus of a pool at a time: `green`, `brown`, or `mixed` with one bus; None outside the
        plan."""
        epoch = self.epoch_at(unix_s)
        if epoch is None or not 0 <= pool < len(self.pools):
            return None
        first = self.epochs[epoch].first_green_pool
        if first is None:
            return MIXED
        return GREEN if pool >= first else BROWN

    def stored(self, unix_s: int) -> Stored | None:
        """Flow of the battery in the epoch of a time, and its energy at the end; None without a
        battery or outside the plan."""
        epoch = self.epoch_at(unix_s)
        return self._stored[epoch] if self._stored and epoch is not None else None

    def allocation(self, job: str, unix_s: int) -> tuple[tuple[int, int], ...] | None:
        """(pool, servers) of a job at a time, in order of pool; None for an unknown job or
        outside the plan."""
        epoch = self.epoch_at(unix_s)
        if epoch is None or job not in self._places:
            return None
        return tuple(
            sorted(
                (span.pool, span.servers)
                for span in self._places[job]
                if span.first_epoch <= epoch < span.first_epoch + span.epochs
            )
        )

    def free(self, epoch: int) -> tuple[int, ...]:
        """Free servers of each pool."""
        return tuple(self._free[epoch])

    def quote(self, first_epoch: int, epochs: int, width: int, green_ppm: int = 0) -> Quote:
        """Price and value of a rigid job of `width` servers for a number of epochs.

        green_ppm: required green share of its server-epochs. Ties go to the earlier epoch, then the
        lower pool. O(pools epochs log epochs). Raises ValueError for invalid numbers, and if jobs
        are malleable.
        """
        if self.terms is None:
            raise ValueError("jobs of this plan are malleable: use the cheapest width, not a quote")
        _check_job(first_epoch, epochs, width)
        if not 0 <= green_ppm <= PPM:
            raise ValueError("the share of green energy must be 0 to 1,000,000 (millionths)")
        return self._pricing.quote(self._free, first_epoch, epochs, width, green_ppm)

    def admit(
        self, job: str, first_epoch: int, epochs: int, width: int, green_ppm: int = 0
    ) -> Quote:
        """The quote of a job; if it is admitted, the job gets its places."""
        self._check_new(job)
        told = self.quote(first_epoch, epochs, width, green_ppm)
        if told.is_admitted and told.places is not None:
            self._give(job, told.places)
        return told

    def cheapest_width(self, first_epoch: int, epochs_of: Mapping[int, int]) -> int | None:
        """Width of a malleable job with the lowest cost of places and epochs.

        Give only widths that meet the slowdown limit of `malleable`, each with its run time in
        epochs. Ties go to fewer servers; None if no width has room. Raises ValueError for invalid
        numbers, and if jobs are rigid.
        """
        if self.malleable is None:
            raise ValueError("jobs of this plan are rigid: use a quote, not the cheapest width")
        delay_udollars, _ = self.malleable
        best: tuple[int, int] | None = None
        for width in sorted(epochs_of):
            epochs = epochs_of[width]
            _check_job(first_epoch, epochs, width)
            within = self._pricing.within(self._free, first_epoch, epochs, width)
            if within is None:
                continue
            places = self._pricing.filled(self._free, within, width)
            cost = self._pricing.worth(within, places) + epochs * delay_udollars
            if best is None or cost < best[0]:
                best = cost, width
        return best and best[1]

    def take(
        self, job: str, first_epoch: int, epochs: int, width: int
    ) -> tuple[RawSpan, ...] | None:
        """Give a job the cheapest places, and return them; None if there is no room."""
        self._check_new(job)
        _check_job(first_epoch, epochs, width)
        within = self._pricing.within(self._free, first_epoch, epochs, width)
        if within is None:
            return None
        spans = spans_of(within, self._pricing.filled(self._free, within, width))
        self._give(job, spans)
        return spans

    def release(self, job: str, epoch: int) -> None:
        """Free the places of a finished job from an epoch on; raises ValueError for NaN."""
        if not epoch <= inf:
            raise ValueError("the epoch must not be NaN")
        if job not in self._places:
            raise ValueError(f"the plan has no job `{job}`")
        kept = []
        for span in self._places[job]:
            stays = min(max(epoch - span.first_epoch, 0), span.epochs)
            if stays < span.epochs:
                gone = RawSpan(
                    span.pool, span.first_epoch + stays, span.epochs - stays, span.servers
                )
                self._move((gone,), 1)
            if stays:
                kept.append(span._replace(epochs=stays))
        if kept:
            self._places[job] = tuple(kept)
        else:
            del self._places[job]

    def _check_new(self, job: str) -> None:
        if not job or job in self._places:
            raise ValueError(f"job `{job}` must have a name that no other job of the plan has")

    def _give(self, job: str, spans: tuple[RawSpan, ...]) -> None:
        self._move(spans, -1)
        self._places[job] = spans

    def _move(self, spans: tuple[RawSpan, ...], sign: int) -> None:
        """Add the servers of the spans to the free ones, or subtract them."""
        for pool, first_epoch, epochs, servers in spans:
            for epoch in range(first_epoch, first_epoch + epochs):
                self._free[epoch][pool] += sign * servers


def _check_job(first_epoch: int, epochs: int, width: int) -> None:
    sizes = 1 <= epochs <= LARGEST_JOB and 1 <= width <= LARGEST_JOB
    if not (first_epoch >= 0 and sizes):
        raise ValueError("a job must start in epoch 0 or later, with 1 to 2^20 epochs and servers")
