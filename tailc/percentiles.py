"""The definition of a percentile: an order statistic, counted from one."""

from __future__ import annotations

import math

PPM = 1_000_000
# Probability beyond each limit of a two-sided 95 % interval.
TAIL_PPM = 25_000


def percentile_rank(percentile_ppm: int, total: int) -> int:
    """1-based rank of the percentile among `total` sorted values: ceil(p * total), in integers.

    So the 99th percentile of 2,000 values is the 1,980th smallest. `total` may be a sum of
    weights. Raises ValueError unless 0 < percentile_ppm <= 10^6 and total >= 1.
    """
    if not 0 < percentile_ppm <= PPM:
        raise ValueError(f"percentile must be in (0, 100 %], not {percentile_ppm} ppm")
    if total < 1:
        raise ValueError("a percentile needs at least one value")
    return -(-percentile_ppm * total // PPM)


def fewest_requests(percentile_ppm: int) -> int:
    """The smallest sample that has a value above the percentile with a probability of 97.5 %.

    Raises ValueError unless 0 < percentile_ppm < 10^6: no value is above the percentile 10^6.
    """
    if not 0 < percentile_ppm < PPM:
        raise ValueError(f"percentile must be in (0, 100 %), not {percentile_ppm} ppm")
    return math.ceil(math.log(TAIL_PPM / PPM) / math.log(percentile_ppm / PPM))


def per_server_ppm(end_to_end_ppm: int, servers: int) -> int:
    """The percentile that each of `servers` parallel servers needs for an end-to-end one [1e-6].

    A request waits for the answers of all servers, so it is `end_to_end ** (1 / servers)`: ten
    servers under a 90th percentile need about their 99th each (Haque et al., ASPLOS 2015, section
    7). The result is the least millionth that is enough, exactly; 10^6, which no sample can show,
    if no smaller one is enough. Raises ValueError unless 0 < end_to_end_ppm < 10^6 and servers >=
    1.
    """
    if not 0 < end_to_end_ppm < PPM or servers < 1:
        raise ValueError(f"no percentile of one of {servers} servers gives {end_to_end_ppm} ppm")
    wanted = end_to_end_ppm * PPM ** (servers - 1)
    # The float is within a millionth of the root, and integers tell which one is enough.
    least = max(int((end_to_end_ppm / PPM) ** (1 / servers) * PPM) - 1, 0)
    return next(ppm for ppm in range(least, PPM + 1) if ppm**servers >= wanted)


def any_delayed(delay_probability: float, servers: int) -> float:
    """Probability that at least one of `servers` independent servers is delayed."""
    if delay_probability == 1:
        return 1.0
    return -math.expm1(servers * math.log1p(-delay_probability))
