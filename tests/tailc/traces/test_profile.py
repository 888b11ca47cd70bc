import hashlib
import struct

import numpy as np
import pytest

from tailc.traces.profile import DemandProfile, Measure


def test_the_digest_is_of_whole_nanoseconds_weights_and_millionths_in_trace_order(monkeypatch):
    monkeypatch.setattr("tailc.traces.profile.HASHED_ROWS", 2)
    profile = DemandProfile(
        np.array([1.5, 0.25, 2.0]),
        np.array([1, 7, 2]),
        np.array([[1.0, 1.9], [1.0, 1.2]]),
        np.array([1, 0, 1], dtype=np.int32),
        (),
        Measure.DEMAND_BUSY,
        "one core",
    )
    words = [1_500_000, 250_000, 2_000_000, 1, 7, 2]
    words += [1_000_000, 1_200_000, 1_000_000, 1_900_000, 1_000_000, 1_200_000]
    content = b"tailc demand profile 1\n" + struct.pack("<12q", *words)
    assert profile.digest == hashlib.sha256(content).hexdigest()
    # 7.25 ms of work; at degree 2 they take 5.5 / 1.2 + 1.75 / 1.9 ms.
    assert profile.mean_curve() == pytest.approx([1.0, 7.25 / (5.5 / 1.2 + 1.75 / 1.9)])
