"""Whether a measured percentile and its prediction agree."""

from __future__ import annotations

import pytest

from tailc.experiment.ruling import Ruling
from tailc.specs.slo import Slo
from tailc.verify.measured.verdict import Agreement, MeasuredSlo, TailLimits


@pytest.mark.parametrize(
    ("measured_us", "predicted", "agreement"),
    [
        ((30_100, 30_100, 30_100), (30_500, 30_500, 30_500), Agreement.AGREE),
        ((28_900, 28_900, 28_900), (30_500, 30_500, 30_500), Agreement.DIFFER),
        ((28_900, 28_000, 30_500), (30_500, 30_500, 30_500), Agreement.AGREE),
        ((28_900, 28_000, None), (30_500, 30_500, 30_500), Agreement.UNDECIDED),
        ((1, 1, 1), (0, 0, 0), Agreement.DIFFER),
    ],
    ids=["1 % apart", "5.2 % apart", "intervals overlap", "no upper limit", "nothing predicted"],
)
def test_percentiles_agree_if_intervals_overlap_or_the_difference_is_small(
    measured_us, predicted, agreement
):
    slo = Slo(percentile_ppm=950_000, latency_us=80_000)
    one = MeasuredSlo(slo, Ruling.PASS, TailLimits(*measured_us), TailLimits(*predicted), False)
    assert one.agreement is agreement
