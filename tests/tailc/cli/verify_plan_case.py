"""Helpers of test_verify_plan.py that other tests use too."""

from __future__ import annotations

import json

from tests.tailc.cli.json_schemas import SCHEMAS

VERDICT = json.loads((SCHEMAS / "report/plan-verdict-1.schema.json").read_text())
