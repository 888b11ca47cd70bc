import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tailc.pipeline.spec import DOCUMENT_MODELS
from tailc.policies.few_to_many.spec import FewToManySpec
from tailc.specs.json_schema import spec_schema, spec_schema_text
from tailc.specs.tree import plain
from tests.tailc.specs.messages_case import BROKEN
from tests.tailc.specs.writing import GOOD, document, swapped

KINDS = DOCUMENT_MODELS
SCHEMAS = Path(__file__).parents[3] / "schemas" / "spec"

_CURVE = "speedup: [1, 1.9, 2.65, 3.2]"
_CLASSES = "speedup: {classes: {column: type, curves: {a: [1, 2], b: [1, 1.5]}}}"

WRITTEN = {
    "good": GOOD,
    "short held out": swapped(("  unit: ms\n", "  unit: ms\n  held_out: 20%\n")),
    "long held out": swapped(
        ("  unit: ms\n", "  unit: ms\n  held_out: {fraction: 20%, by: hash, column: id}\n")
    ),
    "classes": swapped((_CURVE, _CLASSES)),
    "columns": swapped((_CURVE, "speedup: {columns: [s1, s2]}")),
    "named": swapped((_CURVE, "speedup: {name: PARSEC, curve: [1, 1.9]}")),
    "sweep": swapped(("target_parallelism: 24", "target_parallelism: [16, 24.5]")),
    "window": swapped(("latency: 500ms", "latency: 500ms, window: 2000 requests")),
    "search": GOOD
    + "search: {method: dual, objective: threads, step: 5ms, admit_on_departure: false}\n",
}


def accepts(text: str) -> bool:
    validator = jsonschema.Draft202012Validator(spec_schema(FewToManySpec))
    return validator.is_valid(plain(document(text).root))


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_in_the_repository_is_current(kind: str) -> None:
    checked_in = (SCHEMAS / f"{kind}.schema.json").read_text()
    wanted = spec_schema_text(KINDS[kind])
    assert json.loads(checked_in) == json.loads(wanted), (
        f"write it anew: tailc schema {kind} > schemas/spec/{kind}.schema.json"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_is_a_schema(kind: str) -> None:
    jsonschema.Draft202012Validator.check_schema(spec_schema(KINDS[kind]))


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_has_a_text_for_who_points_at_it(kind: str) -> None:
    schema = spec_schema(KINDS[kind])
    keys = dict(keys_of(schema, "", schema["$defs"]))
    assert "/apiVersion" in keys
    assert [path for path, said in keys.items() if len(said) < len("Its name.")] == []


def keys_of(schema: object, path: str, defs: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every key that a schema lists, by its path, with its description or that of what it is."""
    if isinstance(schema, list):
        for part in schema:
            yield from keys_of(part, path, defs)
    if not isinstance(schema, dict):
        return
    for key, value in schema.get("properties", {}).items():
        whole = defs.get(value.get("$ref", "").rpartition("/")[2], {})
        yield f"{path}/{key}", value.get("description") or whole.get("description") or ""
        yield from keys_of(value, f"{path}/{key}", defs)
    for word in ("anyOf", "oneOf", "allOf", "items", "additionalProperties"):
        yield from keys_of(schema.get(word), path, defs)
    for name, definition in schema.get("$defs", {}).items():
        yield from keys_of(definition, f"/{name}", defs)


@pytest.mark.parametrize("name", WRITTEN)
def test_every_way_to_write_a_spec_fits_the_schema(name: str) -> None:
    assert accepts(WRITTEN[name])


@pytest.mark.parametrize(
    "broken",
    [
        *("unknown key at the top", "missing block", "no unit on a duration", "rate in rps"),
        *("text for a number", "yes for a truth", "unknown choice", "empty list", "bad name"),
        *("speed-up that is not positive", "held out without unit", "unknown kind"),
    ],
)
def test_an_editor_sees_the_common_mistakes(broken: str) -> None:
    assert not accepts(BROKEN[broken])


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_has_a_description(kind: str) -> None:
    schema = spec_schema(KINDS[kind])
    mappings = [schema, *schema["$defs"].values()]
    mappings += [part for mapping in mappings for part in mapping.get("anyOf", [])]
    keys = [
        (key, value) for mapping in mappings for key, value in mapping.get("properties", {}).items()
    ]
    undescribed = [key for key, value in keys if "description" not in value and "$ref" not in value]
    assert undescribed == []
