"""Parts of a request in a nanosecond, against exact fractions."""

import random
from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.models.core_queues.level_progress import MOST_WORK_NS, WHOLE, level_progress
from tests.tailc.models.core_queues.servers import GHZ, MS, US


def test_rates_are_the_exact_quotients_rounded_up():
    rng = random.Random(1)
    for _ in range(300):
        work_ns = rng.randint(1, 2 ** rng.randint(1, 39))
        memory_ns = rng.choice([0, work_ns, rng.randint(0, work_ns)])
        khz, reference_khz = (rng.randint(2**10, 2**23) for _ in range(2))
        try:
            found = level_progress(np.array([work_ns]), np.array([memory_ns]), [khz], reference_khz)
        except TailcError:
            assert Fraction((work_ns - memory_ns) * reference_khz, khz) > 2**44
            continue
        whole_ns = Fraction((work_ns - memory_ns) * reference_khz, khz) + memory_ns
        assert int(found.rate[0, 0]) == min(ceil(WHOLE / whole_ns), WHOLE)
        assert int(found.cycles[0]) == (work_ns - memory_ns) * reference_khz // 10**6


def test_without_memory_time_all_work_is_compute():
    found = level_progress(np.array([2 * US]), None, [GHZ, 2 * GHZ], GHZ)
    assert found.cycles.tolist() == [2_000]
    assert found.memory_ns.tolist() == [0]
    assert found.rate[0].tolist() == [ceil(Fraction(WHOLE, 2_000)), ceil(Fraction(WHOLE, 1_000))]


def test_work_that_leaves_64_bits_is_refused():
    with pytest.raises(TailcError) as refused:
        level_progress(np.array([MOST_WORK_NS + 1]), None, [GHZ], GHZ)
    assert refused.value.findings[0].code is Code.METHOD_UNFIT
    assert "longer than 549 s" in refused.value.findings[0].message
    assert "remove the request from the trace" in refused.value.findings[0].help


def test_a_request_that_takes_too_long_at_the_lowest_frequency_is_refused():
    with pytest.raises(TailcError) as refused:
        level_progress(np.array([40_000 * MS]), None, [1_000, GHZ], GHZ)
    assert refused.value.findings[0].message == "a request runs longer than 9 h at 1000 kHz"
