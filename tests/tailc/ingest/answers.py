"""Answers of the API of Prometheus made by hand, sound and not."""

import json


def answer(folder, result, kind="vector"):
    """The path of an answer with these elements."""
    path = folder / "answer.json"
    document = {"status": "success", "data": {"resultType": kind, "result": result}}
    path.write_text(json.dumps(document))
    return path


def native(*rows, count=None, **labels):
    """An element of an answer, whose buckets are (lower, upper, count)."""
    written = [[0, str(lower), str(upper), str(times)] for lower, upper, times in rows]
    total = sum(times for *_, times in rows) if count is None else count
    histogram = {"count": str(total), "sum": "1", "buckets": written}
    metric = {"__name__": "x_seconds", **labels}
    return {"metric": metric, "histogram": [1700000000, histogram]}
