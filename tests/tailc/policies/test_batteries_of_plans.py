"""A battery in a spec of either kind of plan: jobs stay where they are, and less is bought."""

from __future__ import annotations

import shutil

import pytest

from tailc.artifact.files import read_policy
from tailc.cli import run
from tailc.forms.plan.plan_books import plan_books
from tests.tailc.policies.green_sla import case as rigid
from tests.tailc.policies.greenpar import case as malleable

BATTERY = "battery: {capacity: 4kWh, charge: 2kW, discharge: 2kW, efficiency: 80%}\n"


@pytest.fixture(scope="module", params=[rigid, malleable], ids=["green-sla", "greenpar"])
def folder(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("battery")
    request.param.write(folder)
    spec = folder / "service.yaml"
    assert run(["compile", str(spec), "-o", str(folder / "plain")]) == 0
    with_one = folder / "battery.yaml"
    shutil.copy(spec, with_one)
    with_one.write_text(with_one.read_text() + BATTERY)
    assert run(["compile", str(with_one), "-o", str(folder / "battery")]) == 0
    return folder


def test_jobs_and_prices_stay_and_brown_energy_costs_no_more(folder):
    plain, policy = read_policy(folder / "plain"), read_policy(folder / "battery")
    assert plain.plan is not None
    assert policy.plan is not None
    assert policy.plan.without_battery() == plain.plan
    assert policy.plan.battery is not None
    assert policy.plan.battery.capacity_mj == 4 * 3_600_000_000
    assert policy.plan.battery.kept_ppm == 800_000
    bills = [plan_books(one.plan).ledger.brown_udollars for one in (plain, policy) if one.plan]
    saved = dict(policy.evidence.settings)["battery_saved_udollars"]
    assert saved == int(bills[0] - bills[1]) >= 0
    assert "battery_saved_udollars" not in dict(plain.evidence.settings)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("battery: {capacity: 0kWh, charge: 2kW, discharge: 2kW}", "must be more than zero"),
        (
            "battery: {capacity: 1kWh, charge: 2W, discharge: 2W, initial_charge: 2kWh}",
            "is more than the capacity of the battery",
        ),
        ("battery: {capacity: 1kWh, charge: 2W, discharge: 2W, efficiency: 120%}", "at most 100 %"),
        ("battery: {capacity: 1kWh, charge: 2kW}", "`battery.discharge` is missing"),
    ],
)
def test_what_no_battery_can_be_is_told_where_it_stands(folder, capsys, line, told):
    odd = folder / "odd.yaml"
    text = (folder / "battery.yaml").read_text().replace(BATTERY.strip(), line)
    odd.write_text(text)
    assert run(["check", str(odd)]) == 65
    at = 1 + text.splitlines().index(line)
    found = capsys.readouterr()
    assert f"odd.yaml:{at}:" in found.out + found.err
    assert told in found.out + found.err
