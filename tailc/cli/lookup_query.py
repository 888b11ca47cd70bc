"""Queries of `tailc lookup`, one type per form, built from the command's options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

Options = Mapping[str, Any]
"""The options that are given, by parameter name."""

_OF_LADDERS = ("in_system", "waited", "age", "request_class")
_OF_TAIL_TABLES = ("held", "cycles", "memory")
_OF_CONTROLLERS = ("scale", "measured")
_OF_SHARES = ("throughput",)
_OF_BUDGETS = ("decoding", "waiting_tokens")
_OF_PLANS = ("at", "job", "pool", "width", "epochs", "green")
_OF_REQUESTS = (
    *("in_system", "rate", "waited", "age", "request_class"),
    *_OF_TAIL_TABLES,
    *_OF_CONTROLLERS,
)
_NO_PLAN = {
    "this artifact is not a plan": _OF_PLANS,
    "this artifact has no token budgets": _OF_BUDGETS,
}
_NO_SHARES = {"this artifact is a policy for requests": _OF_SHARES}


def given_options(options: Mapping[str, Any]) -> Options:
    """Select the options of `tailc lookup` to which the user gave a value."""
    return {name: value for name, value in options.items() if value not in (None, ())}


def refuse(given_values: Options, foreign: Mapping[str, tuple[str, ...]]) -> None:
    """Raise a usage error for the first given option that has no meaning for this policy.

    foreign: options without a meaning, by the reason to print.
    """
    for reason, names in foreign.items():
        for name in names:
            if name in given_values:
                option = "--" + name.removeprefix("request_").replace("_", "-")
                raise click.UsageError(f"{reason}: {option} does not apply, so remove it")


@dataclass(frozen=True)
class ControllerQuery:
    """Query to a feedback controller: its output after one step for each measured percentile.

    scale_ppm: initial output; None: the compiled one. rate_mrps: arrival rate.
    """

    scale_ppm: int | None
    measured_us: tuple[int, ...]
    rate_mrps: int | None

    @classmethod
    def from_options(cls, given_values: Options) -> ControllerQuery:
        """Build the controller query from the options of `tailc lookup`."""
        return cls(
            given_values.get("scale"), given_values.get("measured", ()), given_values.get("rate")
        )

    def refuse(self) -> None:
        """Raise a usage error if options of a controller are given, since the policy has none."""
        requested = {"scale": self.scale_ppm, "measured": self.measured_us}
        refuse(given_options(requested), {"this artifact has no controller": _OF_CONTROLLERS})


@dataclass(frozen=True)
class LadderQuery:
    """Query about a request that has waited and executed for given times, at a load.

    in_system: number of requests in the system; None for a table by arrival rate, which uses the
    controller's rate.
    """

    in_system: int | None
    request_class: str | None
    waited_us: int
    age_us: int
    controller: ControllerQuery

    @classmethod
    def from_options(cls, given_values: Options) -> LadderQuery:
        """Build the query from the options of `tailc lookup`.

        Raises a usage error for options that apply to other forms of policies.
        """
        no_tail_table = {"this artifact has no tail table": _OF_TAIL_TABLES}
        refuse(given_values, _NO_PLAN | _NO_SHARES | no_tail_table)
        return cls(
            given_values.get("in_system"),
            given_values.get("request_class"),
            given_values.get("waited", 0),
            given_values.get("age", 0),
            ControllerQuery.from_options(given_values),
        )


@dataclass(frozen=True)
class TailTableQuery:
    """Query to a tail table, which sets a core's frequency.

    held_us: arrival times of the core's requests. cycles, memory_us: work that the running request
    has received.
    """

    held_us: tuple[int, ...]
    cycles: int
    memory_us: int
    controller: ControllerQuery

    @classmethod
    def from_options(cls, given_values: Options) -> TailTableQuery:
        """Build the query from the options of `tailc lookup`.

        Raises a usage error for options that apply to other forms of policies, and for missing
        ones.
        """
        refuse(
            given_values, _NO_PLAN | _NO_SHARES | {"this artifact has a tail table": _OF_LADDERS}
        )
        if "rate" in given_values and "measured" not in given_values:
            raise click.UsageError("`--rate` applies to a step of the controller: add `--measured`")
        return cls(
            given_values.get("held", ()),
            given_values.get("cycles", 0),
            given_values.get("memory", 0),
            ControllerQuery.from_options(given_values),
        )


@dataclass(frozen=True)
class SharesQuery:
    """Query about CPU shares: throughput of machines with targets in each step [1/1000 per s]."""

    throughput: tuple[tuple[int, ...], ...]

    @classmethod
    def from_options(cls, given_values: Options) -> SharesQuery:
        """Build the query from the options of `tailc lookup`.

        Raises a usage error for options that apply to other forms of policies.
        """
        refuse(given_values, _NO_PLAN | {"this artifact has shares of a host": _OF_REQUESTS})
        return cls(given_values.get("throughput", ()))


@dataclass(frozen=True)
class BudgetQuery:
    """Query to a token-budget table: numbers of decoding sequences and of waiting prompt tokens."""

    decoding: int
    waiting_tokens: int

    @classmethod
    def from_options(cls, given_values: Options) -> BudgetQuery:
        """Build the query from the options of `tailc lookup`.

        Raises a usage error for options that apply to other forms of policies.
        """
        others = (*_OF_REQUESTS, *_OF_SHARES, *_OF_PLANS)
        refuse(given_values, {"this artifact has token budgets": others})
        return cls(given_values.get("decoding", 0), given_values.get("waiting_tokens", 0))


@dataclass(frozen=True)
class JobQuery:
    """Query for the servers of a job of the plan at a time."""

    name: str


@dataclass(frozen=True)
class PoolQuery:
    """Query for the power source (green or brown bus) of a pool of servers at a time."""

    name: str


@dataclass(frozen=True)
class PriceQuery:
    """Query for the price of a new job on several possible widths (numbers of servers).

    epochs: its run time on each width. green_ppm: promised green share of its energy; None: no
    promise.
    """

    widths: tuple[int, ...]
    epochs: tuple[int, ...]
    green_ppm: int | None


@dataclass(frozen=True)
class PoolsQuery:
    """Query for the power source (green or brown bus) of all pools, and for the battery."""


@dataclass(frozen=True)
class PlanQuery:
    """Query to a plan about a time; at_unix_s None: no time is given."""

    at_unix_s: int | None
    question: JobQuery | PoolQuery | PriceQuery | PoolsQuery

    @classmethod
    def from_options(cls, given_values: Options) -> PlanQuery:
        """Build the query from the options of `tailc lookup`.

        Raises a usage error for options that apply to other forms of policies, and for two queries.
        """
        others = (*_OF_REQUESTS, *_OF_SHARES, *_OF_BUDGETS)
        refuse(given_values, {"this artifact is a plan": others})
        return cls(given_values.get("at"), _question(given_values))


def _question(given_values: Options) -> JobQuery | PoolQuery | PriceQuery | PoolsQuery:
    requested = [f"--{name}" for name in ("job", "pool", "width") if name in given_values]
    if len(requested) > 1:
        raise click.UsageError(
            f"{' and '.join(requested)} are different questions: give one of them"
        )
    if "width" in given_values:
        return PriceQuery(
            given_values["width"], given_values.get("epochs", ()), given_values.get("green")
        )
    refuse(given_values, {"the price of a job needs `--width`": ("epochs", "green")})
    if "job" in given_values:
        return JobQuery(given_values["job"])
    return PoolQuery(given_values["pool"]) if "pool" in given_values else PoolsQuery()
