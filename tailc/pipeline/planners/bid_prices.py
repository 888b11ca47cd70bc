"""Prices of servers by epoch, from the value that past jobs would have had.

The jobs of each past window are placed by a linear program under the energy expected now; its dual
prices are the value of one more server of a group in each epoch. A plan's price is the mean over
the windows. The baseline `priced` admits jobs by these prices without a solver.

Source: Haque, 2016, section A.5.1, uses the mean profit per slot as the opportunity cost; the
prices are those of bid-price control (Talluri, van Ryzin, Management Science 44, 1998).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.linear import BackendLimits
from tailc_solvers.green.sla.horizon import solve_horizon
from tailc_solvers.green.sla.prices import mean_price
from tailc_solvers.green.sla.problem import Charges, Groups, Job, Racks, rising_charges

from tailc.forms.plan.plan import Epoch, Plan, Pool, PoolPrices
from tailc.models.datacentre.supply import Supply, Whole
from tailc.models.rigid_jobs.jobs import SubmittedJob
from tailc.models.rigid_jobs.site import Site
from tailc.pipeline.planners.planner_state import Epsilons, energy_of
from tailc.pipeline.planners.remaining_sla import job_within


def bid_prices(
    site: Site,
    ahead: Supply,
    past: Sequence[Sequence[SubmittedJob]],
    solver: Solver,
    *,
    before: Plan | None = None,
    limits: BackendLimits | None = None,
    epsilons: Epsilons | None = None,
) -> Plan | None:
    """Compute the price of each pool of servers in each epoch of `ahead`, as a plan without jobs.

    A price is the value that one more server had for past jobs (dual variable of the plan). past:
    windows of as many epochs; their jobs are submitted from second 0 on. Windows without proved
    duals are ignored; if no window has them, `before` is returned.
    """
    groups = _idle(site, ahead, epsilons or Epsilons())
    prices = [
        result
        for jobs in past
        if (result := solve_horizon(groups, _jobs(site, jobs, ahead.epochs), solver, limits).price)
        is not None
    ]
    return _plan(site, ahead, groups, mean_price(prices)) if prices else before


def _idle(site: Site, ahead: Supply, epsilons: Epsilons) -> Groups:
    energy = energy_of(site, ahead, ahead.epochs)
    green_racks = site.green_racks(ahead.green_mw)
    slot = rising_charges(green_racks, site.racks, epsilons.slot_udollars)
    charges = Charges(slot, epsilons.move_udollars)
    return Groups.build(Racks(site.racks, site.rack_servers, energy, charges))


def _jobs(site: Site, jobs: Sequence[SubmittedJob], epochs: int) -> list[Job]:
    """The parts of jobs that fall into the horizon, without jobs too wide for the site."""
    result = (job_within(site, job, epochs) for job in jobs if job.width <= site.servers)
    return [one for one in result if one is not None]


def _plan(site: Site, ahead: Supply, groups: Groups, price: Whole) -> Plan:
    pools = tuple(_pools(site, groups))
    first = groups.groups - np.count_nonzero(groups.is_green, axis=0)
    rows = zip(
        ahead.green_mw.tolist(),
        np.maximum(ahead.brown_udollars_per_kwh, 0).tolist(),
        ahead.brown_mg_per_kwh.tolist(),
        first.tolist(),
        strict=True,
    )
    return Plan(
        start_unix_s=0,
        epoch_s=site.epoch_s,
        pools=pools,
        epochs=tuple(Epoch(*row) for row in rows),
        jobs=(),
        prices=tuple(PoolPrices(tuple(row)) for row in price.tolist()),
        terms=site.terms,
        malleable=None,
        violations_ppm=0,
    )


def _pools(site: Site, groups: Groups) -> Iterator[Pool]:
    first = 1
    for servers in groups.servers.tolist():
        racks = servers // site.rack_servers
        name = f"racks {first}-{first + racks - 1}"
        yield Pool(name, servers, site.busy_mw, site.asleep_mw, site.migration_mj, racks)
        first += racks
