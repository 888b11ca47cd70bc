"""Helpers of test_json_output.py that other tests use too."""

import json
from pathlib import Path

SCHEMAS = Path(__file__).parents[3] / "schemas"
OUTPUT = json.loads((SCHEMAS / "report/output-1.schema.json").read_text())
DIFF = json.loads((SCHEMAS / "report/diff-1.schema.json").read_text())
