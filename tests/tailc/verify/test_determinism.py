"""The same policy and requests give the same verdict to the byte, in every process."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
JUDGE = """
import json, sys
from tailc.report.verdict import as_dict
from tailc.specs.slo import Slo
from tailc.verify.judge import verify
from tailc.experiment.options import VerifyOptions
from tests.tailc.verify.policies import held_out, policy

slos = (Slo(990_000, 100_000, window_us=1_000_000), Slo(500_000, 20_000))
asked = policy(*slos, rates_mrps=(100_000, 40_000))
options = VerifyOptions(
    requests_per_replay=1000,
    replicates=49,
    repeats=4,
    threads=int(sys.argv[1]),
    baselines=("seq", "rc-2"),
)
print(json.dumps(as_dict(verify(asked, held_out(500), options))))
"""


def verdict(threads: int = 2, hash_seed: int = 0, **environment: str) -> bytes:
    return subprocess.run(
        [sys.executable, "-c", JUDGE, str(threads)],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": str(hash_seed)} | environment,
        check=True,
        capture_output=True,
    ).stdout


def test_threads_hash_seed_locale_and_time_zone_do_not_show_in_a_verdict() -> None:
    """All of them are others at once: whatever showed would show."""
    reference = verdict()
    # two SLOs at two rates, for the policy and two baselines
    assert reference.count(b"estimate_us") == 12
    zone = {"LC_ALL": "C.UTF-8", "TZ": "Asia/Kolkata"}
    assert verdict(threads=1, hash_seed=12345, **zone) == reference
