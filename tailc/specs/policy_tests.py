"""A file of tests for a policy: queries, and what the policy must answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from tailc.errors import Code
from tailc.specs.fields import Complaint, SpecModel, Text
from tailc.specs.load import LoadedSpec, open_spec

Query = dict[Text, Any]
_COMMANDS = ("lookup", "verify")


class PolicyTestSpec(SpecModel):
    """A query, as options of a command, and members of its JSON result."""

    name: Text = Field(description="Name of the test.", examples=["an idle server"])
    lookup: Query | None = Field(
        default=None,
        description="Options of `tailc lookup`, without dashes.",
        examples=[{"in-system": 3, "age": "80ms"}],
    )
    verify: Query | None = Field(
        default=None,
        description="Options of `tailc verify`, without dashes; a replay of a trace.",
        examples=[{"trace": "heldout.csv", "rate": ["30/s"]}],
    )
    expect: Annotated[dict[Text, Any], Field(min_length=1)] = Field(
        description="Members of the JSON result of the command, with their values.",
        examples=[{"start": "now", "rung_name": "4 threads"}],
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that the test has exactly one query."""
        return (self._check_query,)

    def _check_query(self) -> list[Complaint]:
        if (self.lookup is None) != (self.verify is None):
            return []
        message = "needs exactly one of `lookup` and `verify`"
        return [Complaint(Code.CONFLICT, message, "write two tests for two queries")]


class PolicyTestsSpec(SpecModel):
    """Tests of one policy."""

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["policy-tests"] = Field(description="Tests of a policy.")
    policy: Text = Field(
        description="The policy, with a path relative to this file.", examples=["build/web.tailc"]
    )
    tests: Annotated[list[PolicyTestSpec], Field(min_length=1)] = Field(
        description="The tests.",
        examples=[
            [
                {
                    "name": "an idle server",
                    "lookup": {"in-system": 0},
                    "expect": {"start": "now"},
                }
            ]
        ],
    )


@dataclass(frozen=True)
class PolicyTest:
    """A test of a policy: a command, its words after the policy, and members of its JSON result."""

    name: str
    command: str
    words: tuple[str, ...]
    expected: dict[str, Any]


def open_policy_tests(path: str) -> tuple[LoadedSpec, PolicyTestsSpec]:
    """Read a file of tests; TailcError with all findings if it is not valid."""
    loaded = open_spec(path, {"policy-tests": PolicyTestsSpec})
    assert isinstance(loaded.model, PolicyTestsSpec)
    return loaded, loaded.model


def tests_of(spec: PolicyTestsSpec) -> Iterator[PolicyTest]:
    """Yield the tests in the order of the file."""
    for test in spec.tests:
        query = {"lookup": test.lookup, "verify": test.verify}
        command = next(name for name in _COMMANDS if query[name] is not None)
        words = tuple(word for pair in (query[command] or {}).items() for word in _words(*pair))
        yield PolicyTest(test.name, command, words, test.expect)


def _words(option: str, value: Any) -> Iterator[str]:
    """An option as words of a command line; a list repeats it, and true is a flag."""
    for one in value if isinstance(value, list) else [value]:
        if one is not False:
            yield f"--{option}"
            yield from () if one is True else (str(one),)
