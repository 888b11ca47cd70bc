"""Groups of keys in a mapping: which one is meant, and what is said of others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import jsonschema
import pytest
from pydantic import Field, ValidationError

from tailc.errors import Code
from tailc.specs.fields import Complaint, RefusalError, SpecModel, Whole
from tailc.specs.json_schema import spec_schema
from tailc.specs.key_groups import fields_of, without_groups
from tailc.specs.one_of import AtMostOne, ByValue, ExactlyOne, OneOf, Stray

LARGEST = 100
Amount = Annotated[Whole, Field(ge=0, le=LARGEST)]


class Square(SpecModel):
    """One side."""

    side: Amount
    name: str | None = None


class Oblong(SpecModel):
    """Two sides."""

    width: Amount
    height: Amount


class Point(SpecModel):
    """Nothing."""


FORMS = ExactlyOne(
    both="and `{}` both say its form",
    missing=("has no table for", "add one"),
    strays={"name": Stray("is for a square, and `{}` is given")},
)


class Shape(SpecModel):
    """A shape that must have a form."""

    colour: str
    form: Annotated[Square | Oblong, OneOf(FORMS)] = Field(alias="<form>")


class Mark(SpecModel):
    """A shape that may be a point."""

    form: Annotated[Point | Square | Oblong, OneOf(AtMostOne())] = Field(alias="<form>")


def form_of(drawing: Mapping[str, Any]) -> type[Square | Point]:
    if drawing.get("kind") != "square":
        return Point
    if drawing.get("side") is None:
        raise RefusalError(Complaint(Code.MISSING_KEY, "has no side", "add one", ("kind",)))
    return Square


STRAYS = {"side": Stray("is of squares"), "name": Stray("is of squares too", "remove the option")}


class Drawing(SpecModel):
    """A shape whose form another key tells."""

    kind: str = "point"
    form: Annotated[Point | Square, OneOf(ByValue(form_of, STRAYS, also="kind"))] = Field(
        alias="<form>"
    )


def complaints_of(model: type[SpecModel], value: object) -> list[Complaint]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(value)
    causes = [error.get("ctx", {}).get("error") for error in caught.value.errors()]
    return [one for cause in causes if isinstance(cause, RefusalError) for one in cause.complaints]


def test_the_group_is_that_of_which_a_key_is_given() -> None:
    assert Shape.model_validate({"colour": "red", "side": 3}).form == Square(side=3)
    oblong = Shape.model_validate({"width": 3, "colour": "red", "height": 2}).form
    assert oblong == Oblong(width=3, height=2)


def test_a_group_that_needs_no_keys_may_be_absent() -> None:
    assert Mark.model_validate({}).form == Point()
    assert Mark.model_validate({"side": 1}).form == Square(side=1)


def test_two_groups_are_a_conflict() -> None:
    (complaint,) = complaints_of(Shape, {"colour": "red", "height": 1, "side": 1})
    assert complaint.message == "and `side` both say its form"
    assert (complaint.at, complaint.also) == (("height",), ("side",))


def test_no_group_is_missing_and_an_unknown_key_may_be_it() -> None:
    (complaint,) = complaints_of(Shape, {"colour": "red"})
    assert complaint == Complaint(Code.MISSING_KEY, "has no table for", "add one")
    assert complaints_of(Shape, {"colour": "red", "sid": 1}) == []


def test_a_key_of_another_group_is_told() -> None:
    (complaint,) = complaints_of(Shape, {"colour": "red", "width": 1, "height": 1, "name": "a"})
    assert complaint.message == "is for a square, and `width` is given"


def test_a_group_may_be_chosen_by_a_value_that_stands_elsewhere() -> None:
    assert Drawing.model_validate({}).form == Point()
    assert Drawing.model_validate({"kind": "square", "side": 2}).form == Square(side=2)
    (complaint,) = complaints_of(Drawing, {"side": 2})
    assert (complaint.message, complaint.also) == ("is of squares", ("kind",))
    (missing,) = complaints_of(Drawing, {"kind": "square"})
    assert missing.message == "has no side"
    assert complaints_of(Drawing, {"kind": "square", "sid": 2}) == []


def test_a_key_without_a_value_is_absent_where_another_group_is_given() -> None:
    assert Shape.model_validate({"colour": "red", "side": None, "width": 1, "height": 2})


def test_what_is_wrong_within_a_group_is_told_beside_the_rest_and_at_its_key() -> None:
    with pytest.raises(ValidationError) as caught:
        Shape.model_validate({"colour": 1, "width": -1})
    paths = {without_groups(error["loc"]) for error in caught.value.errors()}
    assert paths == {("colour",), ("width",), ("height",)}


def test_the_alias_of_a_group_and_the_name_of_its_field_are_no_keys() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        Shape.model_validate({"colour": "red", "side": 1, "form": {"side": 1}})
    assert list(fields_of(Shape)) == ["colour", "side", "name", "width", "height"]


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"colour": "red", "side": 1}, True),
        ({"colour": "red", "side": 1, "name": "a"}, True),
        ({"colour": "red", "width": 1, "height": 1}, True),
        ({"colour": "red"}, False),
        ({"colour": "red", "width": 1}, False),
        ({"colour": "red", "side": 1, "width": 1, "height": 1}, False),
        ({"colour": "red", "side": 1, "<form>": {}}, False),
    ],
)
def test_the_schema_asks_for_the_keys_of_one_group(value: dict[str, Any], fits: bool) -> None:
    assert jsonschema.Draft202012Validator(spec_schema(Shape)).is_valid(value) == fits


def test_the_schema_asks_for_nothing_where_a_group_needs_no_keys() -> None:
    assert jsonschema.Draft202012Validator(spec_schema(Mark)).is_valid({})
