"""Queues as a user of Ciw writes them: first come, first served, and shared servers.

Ciw draws nothing here: it gets the times between arrivals and the demands that the replay gets.
"""

from __future__ import annotations

from collections.abc import Sequence

import ciw


def replay_ciw(
    arrival_ms: Sequence[float], work_ms: Sequence[float], servers: int, *, shares: bool = False
) -> list[float]:
    """Latencies [ms] in order of arrival, with one server a request.

    `shares`: all start at once and share the servers equally, none getting more than one.
    """
    gaps = [b - a for a, b in zip([0.0, *arrival_ms], arrival_ms, strict=False)]
    # The sequences begin again when they end; an endless gap keeps that from the replay.
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Sequential([*gaps, float("inf")])],
        service_distributions=[ciw.dists.Sequential(list(work_ms))],
        number_of_servers=[float("inf") if shares else servers],
        ps_thresholds=[servers if shares else 1],
    )
    simulation = ciw.Simulation(network, node_class=ciw.PSNode if shares else ciw.Node)
    simulation.simulate_until_max_customers(len(work_ms), method="Finish")
    records = sorted(simulation.get_all_records(), key=lambda record: record.id_number)
    return [record.exit_date - record.arrival_date for record in records]
