"""The query of a look-up, one type a form, built from the options of the command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

Options = Mapping[str, Any]
"""The options that are given, by the name of their parameter."""

_OF_LADDERS = ("in_system", "waited", "age", "request_class")
_OF_TAIL_TABLES = ("held", "cycles", "memory")
_OF_CONTROLLERS = ("scale", "measured")
_OF_SHARES = ("throughput",)
_OF_PLANS = ("at", "job", "pool", "width", "epochs", "green")
_OF_REQUESTS = (
    *("in_system", "rate", "waited", "age", "request_class"),
    *_OF_TAIL_TABLES,
    *_OF_CONTROLLERS,
)
_NO_PLAN = {"this artifact is no plan": _OF_PLANS}
_NO_SHARES = {"this artifact is of requests": _OF_SHARES}


def given_options(options: Mapping[str, Any]) -> Options:
    """Those of the options that have a value."""
    return {name: value for name, value in options.items() if value not in (None, ())}


def refuse(given: Options, foreign: Mapping[str, tuple[str, ...]]) -> None:
    """Raise a usage error for the first option that is given although it has no meaning.

    `foreign` has the options without a meaning by the reason why.
    """
    for reason, names in foreign.items():
        for name in names:
            if name in given:
                option = "--" + name.removeprefix("request_").replace("_", "-")
                raise click.UsageError(f"{reason}: {option} does not apply")


@dataclass(frozen=True)
class ControllerQuery:
    """What a controller puts out after a step for each measured tail, at an arrival rate.

    scale_ppm: what it begins with; None: what it is compiled to begin with.
    """

    scale_ppm: int | None
    measured_us: tuple[int, ...]
    rate_mrps: int | None

    @classmethod
    def from_options(cls, given: Options) -> ControllerQuery:
        """That of the options."""
        return cls(given.get("scale"), given.get("measured", ()), given.get("rate"))

    def refuse(self) -> None:
        """Raise a usage error where it is asked for although there is no controller."""
        asked = {"scale": self.scale_ppm, "measured": self.measured_us}
        refuse(given_options(asked), {"this artifact has no controller": _OF_CONTROLLERS})


@dataclass(frozen=True)
class LadderQuery:
    """A request that waited and executed for so long, at a load, and the controller's step.

    in_system: the load of a table by requests in the system; that by rate has the controller's.
    """

    in_system: int | None
    request_class: str | None
    waited_us: int
    age_us: int
    controller: ControllerQuery

    @classmethod
    def from_options(cls, given: Options) -> LadderQuery:
        """That of the options; a usage error for one that is of another form."""
        no_tail_table = {"this artifact has no tail table": _OF_TAIL_TABLES}
        refuse(given, _NO_PLAN | _NO_SHARES | no_tail_table)
        return cls(
            given.get("in_system"),
            given.get("request_class"),
            given.get("waited", 0),
            given.get("age", 0),
            ControllerQuery.from_options(given),
        )


@dataclass(frozen=True)
class TailTableQuery:
    """A core that holds requests since so long, what its running one had, and the controller."""

    held_us: tuple[int, ...]
    cycles: int
    memory_us: int
    controller: ControllerQuery

    @classmethod
    def from_options(cls, given: Options) -> TailTableQuery:
        """That of the options; a usage error for one of another form, or that misses another."""
        refuse(given, _NO_PLAN | _NO_SHARES | {"this artifact has a tail table": _OF_LADDERS})
        if "rate" in given and "measured" not in given:
            raise click.UsageError("--rate is for a step of the controller: give --measured too")
        return cls(
            given.get("held", ()),
            given.get("cycles", 0),
            given.get("memory", 0),
            ControllerQuery.from_options(given),
        )


@dataclass(frozen=True)
class SharesQuery:
    """The throughput of the machines with targets in each step [1/1000 per second]."""

    throughput: tuple[tuple[int, ...], ...]

    @classmethod
    def from_options(cls, given: Options) -> SharesQuery:
        """That of the options; a usage error for one that is of another form."""
        refuse(given, _NO_PLAN | {"this artifact shares a host out": _OF_REQUESTS})
        return cls(given.get("throughput", ()))


@dataclass(frozen=True)
class JobQuestion:
    """Where a job of the plan runs."""

    name: str


@dataclass(frozen=True)
class PoolQuestion:
    """What feeds a pool."""

    name: str


@dataclass(frozen=True)
class PriceQuestion:
    """What a job would pay that starts then: on one of these widths, for so many epochs each.

    green_ppm: how much of its energy shall be green; None: that is not asked for.
    """

    widths: tuple[int, ...]
    epochs: tuple[int, ...]
    green_ppm: int | None


@dataclass(frozen=True)
class PoolsQuestion:
    """What feeds each pool, and what the battery does."""


@dataclass(frozen=True)
class PlanQuery:
    """A question to a plan about a moment; None: no moment is named."""

    at_unix_s: int | None
    question: JobQuestion | PoolQuestion | PriceQuestion | PoolsQuestion

    @classmethod
    def from_options(cls, given: Options) -> PlanQuery:
        """That of the options; a usage error for one of another form, or for two questions."""
        refuse(given, {"this artifact is a plan": (*_OF_REQUESTS, *_OF_SHARES)})
        return cls(given.get("at"), _question(given))


def _question(given: Options) -> JobQuestion | PoolQuestion | PriceQuestion | PoolsQuestion:
    asked = [f"--{name}" for name in ("job", "pool", "width") if name in given]
    if len(asked) > 1:
        raise click.UsageError(f"{' and '.join(asked)} are different questions: ask one of them")
    if "width" in given:
        return PriceQuestion(given["width"], given.get("epochs", ()), given.get("green"))
    refuse(given, {"only a job of some --width is priced": ("epochs", "green")})
    if "job" in given:
        return JobQuestion(given["job"])
    return PoolQuestion(given["pool"]) if "pool" in given else PoolsQuestion()
