import hashlib
import struct

import numpy as np
import pytest

from tailc.traces.profile import DemandProfile, Measure


def test_the_digest_is_of_sorted_whole_nanoseconds_weights_and_millionths(monkeypatch):
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
    words = [250_000, 1_500_000, 2_000_000, 7, 1, 2]
    words += [1_000_000, 1_900_000, 1_000_000, 1_200_000, 1_000_000, 1_200_000]
    content = b"tailc demand profile 1\n" + struct.pack("<12q", *words)
    assert profile.digest == hashlib.sha256(content).hexdigest()
    # 7.25 ms of work; at degree 2 they take 5.5 / 1.2 + 1.75 / 1.9 ms.
    assert profile.mean_curve() == pytest.approx([1.0, 7.25 / (5.5 / 1.2 + 1.75 / 1.9)])


def test_the_order_of_rows_and_of_curves_does_not_show_in_the_digest():
    drawn = np.random.default_rng(5)
    demand_ms = drawn.integers(1, 6, 60).astype(float)
    weight = drawn.integers(1, 3, 60)
    curves = drawn.integers(1, 4, (60, 3)).astype(float)
    shuffled = drawn.permutation(60)
    renamed = drawn.permutation(60)

    def digest(rows, curve_names):
        # Curve number curve_names[r] is row r's own.
        table = np.empty_like(curves)
        table[curve_names] = curves
        of = curve_names[rows].astype(np.int32)
        measured = (Measure.DEMAND_BUSY, "one core")
        return DemandProfile(demand_ms[rows], weight[rows], table, of, (), *measured).digest

    in_order = np.arange(60)
    assert digest(shuffled, renamed) == digest(in_order, in_order)
    assert digest(in_order[:59], in_order) != digest(in_order, in_order)
