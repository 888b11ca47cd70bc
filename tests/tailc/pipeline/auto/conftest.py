"""A small service, whose best table is found in a moment."""

from __future__ import annotations

import numpy as np
import pytest

SPEC = """\
apiVersion: tailc/v1
kind: few-to-many
name: service
slo: [{percentile: 90%, latency: 100ms}]
demand:
  {trace: demand.csv, column: demand_ms, unit: ms, measure: demand-busy, reference: a thread}
speedup: [1, 1.7, 2.2]
server: {cores: 4, target_parallelism: 6, boosting: false}
search: {effort: quick}
rates: [180/s]
"""


def demands_ms(rows: int, sample: int = 1) -> np.ndarray:
    """Lognormal demands, float64 (rows,) [ms]."""
    return 8.0 * np.exp(np.random.default_rng(sample).normal(0.0, 1.0, rows))


def write_service(folder, rows=1_500, **changes):
    """The spec with lines replaced, beside its trace; the path of the spec."""
    lines = "\n".join(f"{demand:.3f}" for demand in demands_ms(rows))
    (folder / "demand.csv").write_text(f"demand_ms\n{lines}\n")
    text = SPEC
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    (folder / "service.yaml").write_text(text)
    return folder / "service.yaml"


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    return write_service(tmp_path_factory.mktemp("service"))
