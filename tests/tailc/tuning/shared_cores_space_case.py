"""Helpers of test_shared_cores_space.py that other tests use too."""

from __future__ import annotations


def row_at(table, load):
    return next(
        row
        for row in table.rows
        if row.first_load <= load and (row.last_load is None or load <= row.last_load)
    )


def climbs_at(table, load):
    return row_at(table, load).climbs
