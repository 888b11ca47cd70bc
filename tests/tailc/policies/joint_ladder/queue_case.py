"""Helpers of test_queue.py that other tests use too."""

from __future__ import annotations

from tests.tailc.policies.joint_ladder.case import SPEC

QUEUED = SPEC.replace("rates: [60/s]", "rates: [300/s]")
