"""The servers and workloads of slow-to-fast, compiled: specs shipped in `examples`, and changed.

`lucene-mod` has the mean and 99th percentile that Haque et al. (MICRO 2017, section 6.8) state of
their modified Lucene, as a log-normal law. Of their finance server no statistics are published:
`finance` is what `examples/finance` measured, on a slow core, scaled so that the published target,
100 ms, is 67 % of the slow core's tail.
"""

from __future__ import annotations

import functools
import re
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import tailc
from bench.core_study import CoreStudy
from bench.timing import ROOT
from tailc.artifact.envelope import Policy
from tailc.traces.trace import read_trace

LUCENE = ROOT / "examples" / "lucene-as2f"
FINANCE = ROOT / "examples" / "finance"
DEFAULT = "micro-13s-2f"
# Normal quantile of 99 %.
Z_99 = 2.3263478740408408
MOD_MEAN_MS, MOD_P99_MS, MOD_REQUESTS = 30.0, 180.0, 10_000
LIGHT_REQUESTS = 10_000
LIGHT_KNOTS = (
    *((0.5 / LIGHT_REQUESTS, 3.0), (0.495, 83.0), (0.9, 110.0), (0.99, 291.0)),
    *((0.995, 390.0), (1 - 0.5 / LIGHT_REQUESTS, 400.0)),
)
FINANCE_TARGET_MS = 100.0
SHARE_OF_SLOW_TAIL = 0.67


def spec_of(server: str) -> Path:
    """The spec of a server of `examples/lucene-as2f`."""
    return LUCENE / "service.yaml" if server == DEFAULT else LUCENE / "configs" / f"{server}.yaml"


@functools.cache
def lucene_ms() -> NDArray[np.float64]:
    return pq.read_table(LUCENE / "demand.parquet")["demand_ms"].to_numpy()


def lucene_light_ms() -> NDArray[np.float64]:
    """With the published quantiles of `lucene-as2f`, but nine of ten requests below 110 ms.

    The papers say nothing of what lies between 83 and 291 ms.
    """
    from scipy import interpolate, stats

    shares, ends_ms = (np.array(column) for column in zip(*LIGHT_KNOTS, strict=True))
    log_ms = interpolate.PchipInterpolator(stats.norm.ppf(shares), np.log(ends_ms))
    quantiles = (np.arange(LIGHT_REQUESTS) + 0.5) / LIGHT_REQUESTS
    return np.exp(log_ms(stats.norm.ppf(quantiles))).round(3)


def lucene_mod_ms() -> NDArray[np.float64]:
    """Log-normal, equally spaced quantiles: mean exp(m + s^2 / 2), 99th percentile
    exp(m + 2.326 s), of the two such s the smaller.
    """
    from scipy import stats

    log_ratio = np.log(MOD_P99_MS / MOD_MEAN_MS)
    spread = Z_99 - np.sqrt(Z_99**2 - 2 * log_ratio)
    scale = np.log(MOD_MEAN_MS) - spread**2 / 2
    quantiles = (np.arange(MOD_REQUESTS) + 0.5) / MOD_REQUESTS
    return np.exp(scale + spread * stats.norm.ppf(quantiles)).round(3)


def finance_ms() -> NDArray[np.float64]:
    """Measured, and scaled to the published target."""
    parts = [pq.read_table(FINANCE / f"{name}.parquet") for name in ("design", "heldout")]
    measured = np.concatenate([part["cpu_ms"].to_numpy() for part in parts])
    tail_ms = FINANCE_TARGET_MS / SHARE_OF_SLOW_TAIL
    return (measured * tail_ms / np.quantile(measured, 0.99)).round(3)


def study(
    server: str,
    *,
    target_ms: float | None = None,
    rates: tuple[int, ...] | None = None,
    demand_ms: NDArray[np.float64] | None = None,
    control: str | None = None,
    fast_power: float | None = None,
) -> CoreStudy:
    """A server's policy, on all requests of its trace, with parts of its spec replaced."""
    text = spec_of(server).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "service.yaml"
        trace = Path(folder) / "demand.parquet"
        _write_demand(trace, lucene_ms() if demand_ms is None else demand_ms)
        text = re.sub(r"trace: \S+", f"trace: {trace}", text)
        for pattern, value in (
            (r"latency: \w+", None if target_ms is None else f"latency: {target_ms:g}ms"),
            (r"rates: .*", None if rates is None else f"rates: {_rates(rates)}"),
            (r"speed: 2\}", None if fast_power is None else f"speed: 2, power: {fast_power:g}}}"),
        ):
            text = text if value is None else re.sub(pattern, value, text)
        if control is not None:
            text = re.sub(r"(?m)^control: .*\n", "", text) + f"control: {control}\n"
        if "search:" not in text:
            text += "search: {method: dual}\n"
        path.write_text(text, encoding="utf-8")
        policy = tailc.compile_policy(str(path)).policy
        return CoreStudy(policy, read_trace(str(trace), policy.reading).profile)


def _rates(rates: tuple[int, ...]) -> str:
    return "[" + ", ".join(f"{rate}/s" for rate in rates) + "]"


def _write_demand(path: Path, demand_ms: NDArray[np.float64]) -> None:
    pq.write_table(
        pa.table({"request_id": np.arange(len(demand_ms)), "demand_ms": demand_ms}), path
    )


def target_of(policy: Policy) -> float:
    """The first SLO's latency [ms]."""
    return policy.slos[0].latency_us / 1e3
