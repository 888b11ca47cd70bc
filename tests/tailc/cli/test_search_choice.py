"""The methods and objectives of `compile` are those of the kinds."""

import subprocess
import sys

import click
import pytest

from tailc.cli.search_choice import SearchChoice
from tailc.pipeline.spec import DOCUMENT_MODELS
from tailc.policies import KINDS
from tailc.specs.json_schema import spec_schema


def values_in_specs(key):
    """Values of a key below `search` by kind, from the JSON Schemas."""
    for kind in KINDS:
        schema = spec_schema(DOCUMENT_MODELS[kind])
        reference = schema["properties"].get("search", {}).get("$ref", "#/none")
        field = schema["$defs"].get(reference.split("/")[-1], {}).get("properties", {}).get(key, {})
        for part in (field, *field.get("anyOf", ())):
            yield from ((kind, value) for value in part.get("enum", ()))


@pytest.mark.parametrize(("key", "listed"), [("method", "Method"), ("objective", "Objective")])
def test_the_command_line_has_every_value_of_every_kind(key, listed):
    in_specs = {value for _, value in values_in_specs(key)}
    assert set(SearchChoice(listed)._choice.choices) == in_specs
    assert len(in_specs) >= 6


def test_a_value_that_no_kind_has_is_refused():
    found = r"'guess' is not one of 'aggressive', .*'anneal', "
    with pytest.raises(click.BadParameter, match=found):
        SearchChoice("Method").convert("guess", None, None)


def test_the_kinds_are_not_imported_for_it():
    code = (
        "import sys; from tailc.cli.search_choice import SearchChoice; "
        "SearchChoice('Method').convert('grid', None, None); "
        "sys.exit('tailc.policies' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
