"""Helpers of test_spec.py that other tests use too."""

POWER = "{static: 0.5W, dynamic: 6W, at: 2.4GHz}"
RANGE = f"range: {{from: 0.8GHz, to: 3.4GHz, step: 0.2GHz, power: {POWER}}}"
