"""The promises of docs/artifact-format.md about versions, kept against every released schema."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tailc.artifact.envelope import SCHEMA_MAJOR, SCHEMA_MINOR, InputRole, Policy
from tailc.artifact.files import read_policy
from tailc.artifact.flat_form import decode_flat, encode_flat
from tailc.artifact.json_form import encode_json, minor_of
from tailc.artifact.plain import from_plain, to_plain
from tailc.artifact.reading_record import reading_of, record_of_reading
from tailc.artifact.refusal import Refusal
from tailc.artifact.shapes import (
    MEMBERS_SINCE,
    EnumChoice,
    Many,
    OneForm,
    RecordShape,
    Shape,
    oldest_minor,
    record_of,
)
from tailc.errors import Code, TailcError
from tailc.forms.controller import Actuator
from tailc.forms.ladder.table import Lane
from tailc.traces.profile import Measure
from tests.tailc.artifact.published import (
    ROOT,
    VECTORS,
    controlled_policy,
    lucene_policy,
    plan_policy,
    policy_of,
)
from tests.tailc.artifact.versions_case import FLATC, RELEASED, known_in

CURRENT = ROOT / "schemas" / "policy.fbs"
SCHEMAS = sorted(RELEASED.glob("*/policy.fbs"))
ARTIFACTS = sorted(path for path in RELEASED.glob("*/*") if path.suffix in (".json", ".tailc")
                   and not path.name.endswith(".schema.json"))  # fmt: skip
WRAPPING = ("format", "schema", "policy_digest")
REFUSED_BY_NAME = (Code.UNKNOWN_SCHEMA, Code.UNKNOWN_RULE, Code.UNKNOWN_FORM)


def conforms(current: Path, released: Path) -> bool:
    command = [FLATC, "--conform", released, current]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def policy_or_code(path: Path) -> Policy | Code:
    try:
        return read_policy(path)
    except TailcError as error:
        return error.findings[0].code


def structs_of(schema: Path) -> dict[str, list[str]]:
    """Field declarations of every struct, comments aside."""
    text = re.sub(r"//.*", "", schema.read_text(encoding="utf-8"))
    return {
        name: [field.strip() for field in body.split(";") if field.strip()]
        for name, body in re.findall(r"struct (\w+) \{(.*?)\}", text, flags=re.DOTALL)
    }


@pytest.mark.parametrize("released", SCHEMAS, ids=lambda path: path.parent.name)
def test_the_schema_conforms_to_every_released_one(released: Path) -> None:
    assert conforms(CURRENT, released)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("quantum_us: long (id: 6)", "quantum_us: int (id: 6)"),
        ("REREAD_ROW = 1", "REREAD_ROW = 9"),
        ("boost: Boost (id: 10);", ""),
        ("{ Ladder = 1, Controller = 2,", "{ Controller = 1, Ladder = 2,"),
    ],
)
def test_conformance_notices_what_would_break_old_readers(
    before: str, after: str, tmp_path: Path
) -> None:
    text = CURRENT.read_text(encoding="utf-8")
    assert before in text
    (tmp_path / "policy.fbs").write_text(text.replace(before, after), encoding="utf-8")
    assert not conforms(tmp_path / "policy.fbs", CURRENT)


@pytest.mark.parametrize("released", SCHEMAS, ids=lambda path: path.parent.name)
def test_structs_never_change(released: Path) -> None:
    """`flatc --conform` lets a struct grow, which moves everything behind it."""
    assert structs_of(released).items() <= structs_of(CURRENT).items()
    assert "first_load: ulong" in structs_of(released)["Row"]


def test_the_schema_does_not_change_without_a_new_version() -> None:
    version = f"{SCHEMA_MAJOR}.{SCHEMA_MINOR}"
    assert (RELEASED / version / "policy.fbs").read_bytes() == CURRENT.read_bytes()
    name = f"policy-{version}.schema.json"
    released, current = RELEASED / version / name, ROOT / "schemas" / "artifact" / name
    assert released.read_bytes() == current.read_bytes()


@pytest.mark.parametrize("path", ARTIFACTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_released_artifact_is_read_or_refused_by_name(path: Path) -> None:
    outcome = policy_or_code(path)
    if isinstance(outcome, Code):
        assert outcome in REFUSED_BY_NAME
        assert path.parent.name.split(".")[0] != str(SCHEMA_MAJOR)
    else:
        assert outcome.name == path.stem


@pytest.mark.parametrize("path", ARTIFACTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_artifacts_of_this_major_version_are_written_as_they_were_released(path: Path) -> None:
    if path.parent.name.split(".")[0] == str(SCHEMA_MAJOR):
        encode = encode_json if path.suffix == ".json" else encode_flat
        assert encode(read_policy(path)) == path.read_bytes()


def test_the_rules_of_version_1_0_read_a_later_policy_and_miss_only_what_is_new() -> None:
    document = json.loads((VECTORS / "demand.json").read_bytes())
    body = {key: part for key, part in document.items() if key not in WRAPPING}
    old = known_in(record_of(Policy), 0)
    read = from_plain(old, body, ignore_unknown=True)
    assert [part.demand for part in read.inputs] == [None, None]
    assert to_plain(old, read) == to_plain(old, read_policy(VECTORS / "demand.tailc"))
    with pytest.raises(Refusal, match="member `demand` does not exist"):
        from_plain(old, body, ignore_unknown=False)


def test_the_released_flatbuffers_schema_reads_a_later_policy(tmp_path: Path) -> None:
    """Flatc's reader verifies offsets first, and knows nothing of later fields."""
    options = ["--json", "--strict-json", "--raw-binary", "-o", tmp_path]
    later = VECTORS / "demand.tailc"
    subprocess.run([FLATC, *options, RELEASED / "1.0" / "policy.fbs", "--", later], check=True)
    theirs = json.loads((tmp_path / "demand.json").read_text(encoding="utf-8"))
    ours = json.loads((VECTORS / "demand.json").read_bytes())
    assert theirs["schema_minor"] == 1
    assert theirs["policy_digest"] == ours["policy_digest"]
    assert "demand" in ours["inputs"][0]
    assert set(theirs["inputs"][0]) == {"role", "digest", "rows", "requests"}


def test_the_rules_of_version_1_1_refuse_a_controller_by_its_name() -> None:
    ladder, controller = lucene_policy().ladders[0], controlled_policy().controller
    assert controller
    body = to_plain(record_of(Policy), replace(lucene_policy(), forms=(ladder, controller)))
    with pytest.raises(Refusal, match="unknown form `controller`") as caught:
        from_plain(known_in(record_of(Policy), 1), body, ignore_unknown=True)
    assert caught.value.code is Code.UNKNOWN_FORM
    assert from_plain(record_of(Policy), body, ignore_unknown=False).controller == controller


def test_a_policy_states_the_version_that_brought_what_it_says() -> None:
    minors = {
        path.stem: json.loads(path.read_bytes())["schema"]["minor"]
        for path in VECTORS.glob("*.json")
    }
    later = {"demand": 1, "cores": 2, "controller": 2, "extremes": 2, "coarse": 2, "estimates": 8}
    others = {"tails-transition": 9, "serial": 9}
    ninth = {n: 9 for n in minors if n.startswith("shares-cap")} | others
    assert len(ninth) == 4
    third = {name: 3 for name in minors if name.split("-")[0] in ("lanes", "tails", "shares")}
    fourth = {name: 4 for name in minors if name.split("-")[0] == "plan"}
    fifth = {name: 5 for name in minors if name.startswith("plan-battery")}
    assert len(fifth) == 3
    sixth = {name: 6 for name in minors if name.split("-")[0] in ("overload", "sharing")}
    assert len(sixth) == 7
    tenth = {name: 10 for name in minors if name.startswith(("settings", "cores-lanes"))}
    assert len(tenth) == 3
    eleventh = {name: 11 for name in minors if name.startswith("budgets")}
    assert len(eleventh) == 3
    twelfth = {"plan-grid": 12}
    parts = later, third, fourth, fifth, sixth, ninth, tenth, eleventh, twelfth
    assert minors == dict.fromkeys(minors, 0) | {k: v for part in parts for k, v in part.items()}


def described_in(schema: Path) -> set[tuple[str, str]]:
    """(table or enum, field or member), comments aside; of structs nothing may change."""
    text = re.sub(r"//.*", "", schema.read_text(encoding="utf-8"))
    found = set()
    for _, name, body in re.findall(r"(table|enum) (\w+)[^{]*\{(.*?)\}", text, flags=re.DOTALL):
        found |= {
            (name, part) for part in re.findall(r"(\w+)\s*[:=]", re.sub(r"\(.*?\)", "", body))
        }
    return found


def minor_that_brought(described: tuple[str, str]) -> int:
    """The first released minor version whose schema has it."""
    return next(
        minor
        for minor in range(SCHEMA_MINOR + 1)
        if described in described_in(RELEASED / f"{SCHEMA_MAJOR}.{minor}" / "policy.fbs")
    )


def shapes_in(shape: Shape) -> list[Shape]:
    """The shape and all in it."""
    match shape:
        case RecordShape():
            parts = [slot.shape for slot in shape.slots]
        case Many():
            parts = [shape.item]
        case OneForm():
            parts = [record for _, record in shape.records]
        case _:
            parts = []
    return [shape, *(inner for part in parts for inner in shapes_in(part))]


def test_what_is_younger_than_its_record_or_enumeration_says_so() -> None:
    """The released schemas tell; a record or enumeration that is young itself needs no word."""
    # By rows of structs, which are not tables.
    laid_out_otherwise = {"Ladder", "Row", "Climb", "Admission"}
    checked = 0
    for shape in shapes_in(record_of(Policy)):
        if isinstance(shape, EnumChoice):
            name = shape.members.__name__
            brought = {m: minor_that_brought((name, m.name)) for m in shape.members}
            said = {member: MEMBERS_SINCE.get(member, 0) for member in shape.members}
        elif isinstance(shape, RecordShape) and shape.cls.__name__ not in laid_out_otherwise:
            name = shape.cls.__name__
            brought = {s.name: minor_that_brought((name, s.name)) for s in shape.slots}
            said = {slot.name: slot.since for slot in shape.slots}
        else:
            continue
        with_it = min(brought.values())
        assert {key: max(since, with_it) for key, since in said.items()} == brought, name
        checked += len(brought)
    assert checked > 100


def test_each_late_member_makes_a_policy_one_of_its_minor_version() -> None:
    policy = lucene_policy()
    throughput = read_policy(VECTORS / "shares.json").reading
    with_memory = replace(record_of_reading(policy_of("tails").reading), clock_khz=None)
    for changed in (
        replace(policy, forms=read_policy(VECTORS / "lanes.json").forms),
        replace(policy, reading=throughput),
        replace(policy, reading=reading_of(with_memory)),
        read_policy(VECTORS / "tails-trim.json"),
    ):
        assert minor_of(changed) == 3
        assert minor_of(decode_flat(encode_flat(changed))) == 3
    assert oldest_minor(EnumChoice(Actuator), Actuator.LATENCY_BOUND) == 3
    assert oldest_minor(EnumChoice(Measure), Measure.THROUGHPUT) == 3
    assert minor_of(policy) == 0


def test_a_plan_run_times_and_a_supply_are_of_minor_version_4() -> None:
    policy, planned = lucene_policy(), plan_policy()
    supply = replace(policy.inputs[0], role=InputRole.SUPPLY)
    for changed in (
        planned,
        replace(planned, inputs=(), reading=policy.reading),
        replace(policy, reading=planned.reading),
        replace(policy, inputs=(supply,)),
    ):
        assert minor_of(changed) == 4
        assert minor_of(decode_flat(encode_flat(changed))) == 4
    assert oldest_minor(EnumChoice(InputRole), InputRole.WHOLE) == 0


def test_the_rules_of_version_1_3_refuse_a_plan_by_its_name() -> None:
    body = to_plain(record_of(Policy), replace(plan_policy(), reading=lucene_policy().reading))
    with pytest.raises(Refusal, match="unknown form `plan`"):
        from_plain(known_in(record_of(Policy), 3), body, ignore_unknown=True)


def test_the_rules_of_version_1_4_read_a_plan_with_a_battery_and_miss_only_that() -> None:
    """Places, buses, prices and quotes are the same without it, which is all that they act on."""
    body = to_plain(record_of(Policy), policy_of("plan-battery"))
    known = known_in(record_of(Policy), 4)
    read = from_plain(known, body, ignore_unknown=True)
    plan, whole = read.plan, policy_of("plan-battery").plan
    assert plan.battery is None
    assert plan == whole.without_battery()
    with pytest.raises(Refusal, match="member `battery` does not exist"):
        from_plain(known, body, ignore_unknown=False)


def test_the_flatbuffers_schema_of_1_4_reads_a_plan_with_a_battery(tmp_path: Path) -> None:
    options = ["--json", "--strict-json", "--raw-binary", "-o", tmp_path]
    later = VECTORS / "plan-battery.tailc"
    subprocess.run([FLATC, *options, RELEASED / "1.4" / "policy.fbs", "--", later], check=True)
    theirs = json.loads((tmp_path / "plan-battery.json").read_text(encoding="utf-8"))
    plan = theirs["forms"][0]["form"]
    assert "battery" not in plan
    assert len(plan["epochs"]) == 12
    assert set(plan["epochs"][7]) == {"green_mw", "brown_udollars_per_kwh", "brown_mg_per_kwh"}


def test_the_rules_of_version_1_9_read_rungs_with_settings_and_miss_only_these() -> None:
    policy = policy_of("settings")
    body = to_plain(record_of(Policy), policy)
    read = from_plain(known_in(record_of(Policy), 9), body, ignore_unknown=True)
    (old,), (new,) = read.ladders, policy.ladders
    assert [rung.threads for rung in new.rungs] == [1, 2, 3, 4]
    assert old.rungs == tuple(replace(rung, threads=None) for rung in new.rungs)
    assert replace(old, rungs=new.rungs) == new
    with pytest.raises(Refusal, match="member `threads` does not exist"):
        from_plain(known_in(record_of(Policy), 9), body, ignore_unknown=False)


@pytest.mark.parametrize(
    "setting",
    [
        {"threads": 2},
        {"frequency_khz": 1},
        {"core_type": "big"},
        {"lane": Lane.SHARED},
        {"one_thread_ppm": 5},
    ],
)
def test_each_setting_of_a_rung_makes_a_policy_one_of_version_1_10(setting: Any) -> None:
    policy = lucene_policy()
    (ladder,) = policy.ladders
    first, *others = ladder.rungs
    changed = replace(ladder, rungs=(replace(first, **setting), *others))
    stated = replace(policy, forms=(changed,))
    assert minor_of(stated) == 10
    assert decode_flat(encode_flat(stated)) == stated
    assert minor_of(policy) == 0


def test_the_flatbuffers_schema_of_1_5_reads_the_names_of_the_rules_of_overload(
    tmp_path: Path,
) -> None:
    """So a server that does not know them names one, and does not serve everybody too late."""
    options = ["--json", "--raw-binary", "-o", tmp_path]
    schema, later = RELEASED / "1.5" / "policy.fbs", VECTORS / "overload.tailc"
    subprocess.run([FLATC, *options, schema, "--", later], check=True, capture_output=True)
    theirs = (tmp_path / "overload.json").read_text(encoding="utf-8")
    assert all(f'"{name}"' in theirs for name in ("cut-off", "degrade", "shed"))
    assert "shed_from" not in theirs


@pytest.mark.parametrize(
    ("vector", "complaint"),
    [
        ("tails", "unknown form `tail-table`"),
        ("tails-trim", "unknown form `tail-table`"),
        ("shares", "unknown form `shares`"),
    ],
)
def test_the_rules_of_version_1_2_refuse_what_came_after_by_its_name(
    vector: str, complaint: str
) -> None:
    policy = read_policy(VECTORS / f"{vector}.json")
    body = to_plain(record_of(Policy), replace(policy, reading=lucene_policy().reading))
    with pytest.raises(Refusal, match=complaint):
        from_plain(known_in(record_of(Policy), 2), body, ignore_unknown=True)


@pytest.mark.parametrize("vector", ["tails", "lanes"])
def test_the_flatbuffers_schema_of_1_2_reads_what_came_after_and_its_names(
    vector: str, tmp_path: Path
) -> None:
    """Flatc's JSON of a form or a rule that is unknown to it has its name beside it."""
    options = ["--json", "--raw-binary", "-o", tmp_path]
    schema = RELEASED / "1.2" / "policy.fbs"
    path = VECTORS / f"{vector}.tailc"
    done = subprocess.run(
        [FLATC, *options, schema, "--", path], capture_output=True, text=True, check=False
    )
    if vector == "tails":
        assert done.returncode != 0  # its union has no such member
    else:
        theirs = (tmp_path / "lanes.json").read_text(encoding="utf-8")
        assert '"busy-period-age"' in theirs


def test_there_is_a_corpus() -> None:
    assert len(SCHEMAS) >= 1
    assert len(ARTIFACTS) >= 8
