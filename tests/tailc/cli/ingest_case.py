"""Helpers of test_ingest.py that other tests use too."""

from pathlib import Path

SAMPLES = Path(__file__).parents[1] / "ingest" / "samples"
