"""Twelve days of jobs and sun, a document of them, and plans for the first day, as files.

An hour an epoch. The sun shines from 6:00 to 18:00 UTC, 400 W: as much as all four servers draw.
Each day brings a job at 8:00 and one at 20:00, of two servers for two hours.
"""

from __future__ import annotations

from pathlib import Path

from tailc.artifact.envelope import Evidence, Input, InputRole, Policy
from tailc.artifact.files import write_policy
from tailc.forms.plan.plan import Epoch, Malleable, Plan, Pool, PoolPrices, Terms
from tests.tailc.artifact.published import plan_policy
from tests.tailc.texts import swapped

HOUR_S, DAY_S = 3_600, 86_400
START_UNIX_S = 1_341_100_800  # 2012-07-01T00:00:00Z
DAYS = 12
SUBMIT_HOURS = (8, 20)

DOCUMENT = """\
apiVersion: tailc/v1
kind: days
jobs:
  trace: jobs.csv
  columns: {submit: submit, run: run, width: nodes}
  at_start: 24h
  green: {share: 50%}
supply:
  green:
    - {trace: roof.csv, column: kw, unit: kW}
  price: 10c/kWh
  carbon: 500g/kWh
horizon: {start: "2012-07-02T00:00Z"}
"""


def write_days(folder: Path, *changes: tuple[str, str]) -> Path:
    """The log, the sun and the document in `folder`, each (old, new) text of it replaced."""
    jobs = [f"{day * DAY_S + at * HOUR_S},7200,2" for day in range(DAYS) for at in SUBMIT_HOURS]
    (folder / "jobs.csv").write_text("\n".join(["submit,run,nodes", *jobs]) + "\n")
    (folder / "roof.csv").write_text("\n".join(["time,kw", *_sun()]) + "\n")
    (folder / "days.yaml").write_text(swapped(DOCUMENT, *changes))
    return folder / "days.yaml"


def _sun() -> list[str]:
    return [
        f"2012-07-{1 + day:02d}T{hour:02d}:00Z,{0.4 if 6 <= hour < 18 else 0}"
        for day in range(DAYS)
        for hour in range(24)
    ]


def rigid_plan(udollars: int = 0, violations_ppm: int = 500_000) -> Plan:
    """A brown and a green rack of two servers of 100 W; a slot pays 2 cents, 3 if green."""
    pools = tuple(Pool(name, 2, 100_000, 0, 0, racks=1) for name in ("brown", "green"))
    epochs = tuple(Epoch(0, 100_000, 500_000, 2 if h < 6 or h >= 18 else 0) for h in range(24))
    prices = (PoolPrices((udollars,) * 24),) * 2
    terms = Terms(30_000, 20_000, 40_000)
    return Plan(
        START_UNIX_S, HOUR_S, pools, epochs, (), prices, terms, None, violations_ppm
    )  # fmt: skip


def malleable_plan(udollars: int = 0, violations_ppm: int = 500_000) -> Plan:
    """Four servers of 100 W on one bus."""
    pool = Pool("all", 4, 100_000, 0, 0)
    epochs = (Epoch(0, 100_000, 500_000, None),) * 24
    prices = (PoolPrices((udollars,) * 24),)
    return Plan(
        START_UNIX_S, HOUR_S, (pool,), epochs, (), prices, None, Malleable(0, 1_100_000),
        violations_ppm,
    )  # fmt: skip


def write_plan(folder: Path, plan: Plan, name: str = "plan") -> Path:
    """An artifact of the plan, compiled from days that nobody else has."""
    inputs = (Input(InputRole.DESIGN, "ab" * 32, 2, 2), Input(InputRole.SUPPLY, "cd" * 32, 24, 0))
    evidence = Evidence("profit", "arrival", "none", "arrival", (), 1, (("epochs", 24),), ())
    policy = Policy(
        name, "few-to-many", 1, (), (), (plan,), inputs, plan_policy().reading, evidence
    )
    write_policy(policy, folder / name)
    return folder / name
