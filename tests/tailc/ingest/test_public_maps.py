"""Every map of a public trace reads 1,000 generated rows with the columns of its publisher."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from tests.tailc.artifact.published import ROOT

MAPS = ROOT / "examples" / "maps"
ROWS = 1_000


def seconds(rng: random.Random) -> float:
    return round(rng.lognormvariate(0, 1) + 0.001, 6)


def tokens(rng: random.Random) -> int:
    return rng.randrange(1, 4_000)


# For each map: its columns in the order of the publisher, and a row of text for each.
TABLES = {
    "azure-functions": "app func end_timestamp duration",
    "azure-lmm": "TIMESTAMP NumImages ContextTokens GeneratedTokens",
    "burstgpt": "Timestamp|Model|Request tokens|Response tokens|Total tokens|Log Type",
    "mooncake": "timestamp input_length output_length hash_ids",
    "alibaba-diffusion": "gmt_create predict_type predict_status exec_time_seconds num_lora",
    "alibaba-diffusion-inference": "timestamp_anon value container_ip",
    "alibaba-jobs": "job_name inst_id user status start_time end_time",
    "alibaba-cold-starts": "__time__ functionName latency runtime memoryMB",
    "huawei-functions": "time_worker requestID funcName totalCost_worker runtimeCost cpu_usage",
    "huawei-cold-starts": "day time funcName totalCost_cold_start podAllocationCost podID",
    "helios": "job_id user gpu_num state submit_time start_time end_time duration queue",
}
TIMES = ("duration", "value", "exec_time_seconds", "latency", "runtimeCost", "totalCost_cold_start")
COUNTS = ("ContextTokens", "GeneratedTokens", "Request tokens", "Response tokens")
COUNTS += ("input_length", "output_length")
# Every second row has the other value, and the map leaves it out.
CHOSEN = {
    "Model": ("GPT-4", "ChatGPT"),
    "predict_status": ("SUCCEED", "FAILED"),
    "status": ("Terminated", "Failed"),
    "state": ("COMPLETED", "CANCELLED"),
}


def columns(name: str) -> list[str]:
    return TABLES[name].split("|" if "|" in TABLES[name] else " ")


def row(names: list[str], number: int, rng: random.Random) -> dict[str, object]:
    cells: dict[str, object] = {name: f"{name}-{number}" for name in names}
    cells |= {name: seconds(rng) for name in names if name in TIMES}
    cells |= {name: tokens(rng) for name in names if name in COUNTS}
    cells |= {name: CHOSEN[name][number % 2] for name in names if name in CHOSEN}
    cells |= {name: rng.randrange(3) for name in names if name == "NumImages"}
    if "job_name" in names:
        cells |= {"start_time": 1_000.0 * number, "end_time": 1_000.0 * number + seconds(rng)}
    if "hash_ids" in names:
        cells |= {"timestamp": number, "hash_ids": [number, number + 1]}
    return cells


def write(name: str) -> tuple[Path, int]:
    """Write the table; return its path and the number of rows that the map takes."""
    rng, names = random.Random(name), columns(name)
    rows = [row(names, number, rng) for number in range(ROWS)]
    path = Path("trace.jsonl" if name == "mooncake" else "trace.csv")
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    else:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)
    chosen = [key for key in names if key in CHOSEN]
    taken = sum(all(one[key] == CHOSEN[key][0] for key in chosen) for one in rows)
    return path, taken


def test_every_map_of_a_table_is_tested() -> None:
    older = {"azure-llm", "boutique-currency"}
    assert {path.stem for path in MAPS.glob("*.yaml")} == {*TABLES} | older


@pytest.mark.parametrize("name", TABLES)
def test_a_map_reads_all_rows_that_it_selects(name: str, in_folder, tailc) -> None:
    path, taken = write(name)
    words = ("--columns", str(MAPS / f"{name}.yaml"), "-o", "p.profile")
    ended = tailc("ingest", str(path), *words, "--output-format", "json")
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)["result"]
    assert result["requests"] == taken
