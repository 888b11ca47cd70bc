"""What warnings say of a percentile that replays do not decide."""

from __future__ import annotations

import pytest

from tailc.pipeline.estimate_findings import interval_text


@pytest.mark.parametrize(
    ("low_us", "high_us", "text"),
    [
        (1_500, 2_000, "the 95 % interval of that percentile is 1.5 ms to 2 ms"),
        (0, 2_000, "the 95 % interval of that percentile is 0 us to 2 ms"),
        (0, None, "the sample is too small for a 95 % interval of that percentile"),
        (
            1_500,
            None,
            "that percentile is at least 1.5 ms, and the sample is too small for an upper limit",
        ),
    ],
)
def test_an_interval_without_limits_is_said_to_have_none(low_us, high_us, text):
    assert interval_text(low_us, high_us) == text
