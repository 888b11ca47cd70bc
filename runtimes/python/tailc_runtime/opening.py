"""Open policy files; everything is checked before it is used."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar, Unpack

from tailc_runtime.budget_table import BudgetTable
from tailc_runtime.controller import CLIMB_AGES, LATENCY_BOUND, Controller
from tailc_runtime.counters import UNREADABLE, Counters
from tailc_runtime.errors import BadMeaning, BadStructure, OtherForm, PolicyError, UnknownClass
from tailc_runtime.json_form import read_json
from tailc_runtime.plan import Plan
from tailc_runtime.raw import (
    Head,
    RawBudgetTable,
    RawController,
    RawForm,
    RawLadder,
    RawPlan,
    RawTailTable,
)
from tailc_runtime.shares import Shares
from tailc_runtime.signature import split_signature
from tailc_runtime.table import PolicyTable
from tailc_runtime.tail_table import TailTable
from tailc_runtime.terms import Asked, Terms

_MOST_BYTES = 64 * 1024 * 1024

# Tables by request class; None is the one for all classes.
PolicyTables = dict[str | None, PolicyTable]
AnyPolicy = PolicyTables | TailTable | Shares | Plan | BudgetTable

Path = str | os.PathLike[str]
Form = TypeVar("Form", TailTable, Shares, Plan, BudgetTable)
Chosen = TypeVar("Chosen")

_NAMES = {
    dict: "ladders",
    TailTable: "a tail table",
    Shares: "shares",
    Plan: "a plan",
    BudgetTable: "a budget table",
}


def open_policy(
    path: Path, request_class: str | None = None, **asked: Unpack[Asked]
) -> PolicyTable:
    """Open the table for `request_class`, or the one for all classes if it has none of its own.

    Length and hash are checked first, then signature, structure, meaning, service and generation;
    `Asked` has the options. Raises OSError or PolicyError, and ValueError for a malformed trusted
    key.
    """
    return _open(path, of_class(request_class), asked)


def open_policies(path: Path, **asked: Unpack[Asked]) -> PolicyTables:
    """Open all tables of the policy, by request class; None is the table for all classes.

    All tables share the controller of the policy, if it has one. Options and exceptions as
    `open_policy`.
    """
    return _open(path, ladders, asked)


def open_tail_table(path: Path, **asked: Unpack[Asked]) -> TailTable:
    """Open the tail table of a policy; options and exceptions as `open_policy`."""
    return _open(path, of_form(TailTable), asked)


def open_shares(path: Path, **asked: Unpack[Asked]) -> Shares:
    """Open the shares of a host of a policy; options and exceptions as `open_policy`."""
    return _open(path, of_form(Shares), asked)


def open_plan(path: Path, **asked: Unpack[Asked]) -> Plan:
    """Open the plan of a policy; options and exceptions as `open_policy`."""
    return _open(path, of_form(Plan), asked)


def open_budget_table(path: Path, **asked: Unpack[Asked]) -> BudgetTable:
    """Open the budget table of a policy; options and exceptions as `open_policy`."""
    return _open(path, of_form(BudgetTable), asked)


def open_any(path: Path, **asked: Unpack[Asked]) -> AnyPolicy:
    """Open any policy: returns tables by request class, or the one form of another kind."""
    return _open(path, lambda opened: opened, asked)


def policy_from(data: bytes, **asked: Unpack[Asked]) -> AnyPolicy:
    """Like `open_any`, from the content of a file; a refusal is not counted."""
    return _policy_in(data, Terms(**asked))


def content_of(path: Path) -> bytes:
    """Bytes of the file, at most one more than the limit for a policy."""
    with open(path, "rb") as file:  # noqa: PTH123, paths may be of any kind
        return file.read(_MOST_BYTES + 1)


def opened_from(
    path: Path, data: bytes, choose: Callable[[AnyPolicy], Chosen], terms: Terms
) -> Chosen:
    """The selected part of the policy in the content of `path`; counts a refusal."""
    try:
        return choose(_policy_in(data, terms))
    except PolicyError as error:
        terms.counters.refuse(error.name)
        raise type(error)(f"{path}: {error}") from error


def _open(path: Path, choose: Callable[[AnyPolicy], Chosen], asked: Asked) -> Chosen:
    """The selected part of the policy at `path`; counts a failure."""
    terms = Terms(**asked)
    try:
        data = content_of(path)
    except OSError:
        terms.counters.refuse(UNREADABLE)
        raise
    return opened_from(path, data, choose, terms)


def _policy_in(data: bytes, terms: Terms) -> AnyPolicy:
    if len(data) > _MOST_BYTES:
        raise BadStructure("the file is larger than the limit for a policy")
    head, forms = _read(data, terms)
    opened = _opened(head, forms, terms.counters)
    terms.check_head(head)
    return opened


def _read(data: bytes, terms: Terms) -> tuple[Head, list[RawForm]]:
    if data.startswith(b"{") and data[4:8] != b"TLC1":
        terms.refuse_json()
        return read_json(data)
    # Imported here, so that JSON policies need no package beyond the standard library.
    from tailc_runtime.flat_form import read_flat, unseal

    sealed, signature = split_signature(data)
    payload = unseal(sealed)
    expires_s = terms.check_signature(signature)
    head, forms = read_flat(payload)
    return replace(head, signature_expires_s=expires_s), forms


def ladders(opened: AnyPolicy) -> PolicyTables:
    """The tables of a policy with ladders."""
    if isinstance(opened, dict):
        return opened
    raise _other_form(opened, dict)


def of_class(request_class: str | None) -> Callable[[AnyPolicy], PolicyTable]:
    """Selects the table of a class, or the one for all classes if it has none of its own."""

    def choose(opened: AnyPolicy) -> PolicyTable:
        tables = ladders(opened)
        found = tables.get(request_class) or tables.get(None)
        if found is None:
            known = ", ".join(f"`{name}`" for name in tables)
            raise UnknownClass(f"no ladder for class `{request_class}`; there are {known}")
        return found

    return choose


def of_form(wanted: type[Form]) -> Callable[[AnyPolicy], Form]:
    """Selects the only form of a policy."""

    def choose(opened: AnyPolicy) -> Form:
        if isinstance(opened, wanted):
            return opened
        raise _other_form(opened, wanted)

    return choose


def _other_form(opened: AnyPolicy, wanted: type) -> OtherForm:
    return OtherForm(f"the policy has {_NAMES[type(opened)]}, not {_NAMES[wanted]}")


def _opened(head: Head, forms: list[RawForm], counters: Counters) -> AnyPolicy:
    """The forms as an opened policy: ladders, or one form of another kind."""
    steers, controller = _split(forms)
    raw = [form for form in steers if isinstance(form, RawLadder)]
    if steers and len(raw) == len(steers):
        return _tables(head, raw, _acting_on(controller, CLIMB_AGES), counters)
    if len(steers) != 1 or raw:
        raise BadMeaning(
            "`forms` must have exactly one of ladders, a tail table, shares, a plan and a budget "
            "table"
        )
    (form,) = steers
    if isinstance(form, RawTailTable):
        return TailTable(head, form, _acting_on(controller, LATENCY_BOUND), counters)
    assert not isinstance(form, RawLadder | RawController)
    _acting_on(controller, None)
    if isinstance(form, RawBudgetTable):
        return BudgetTable(head, form, counters)
    if isinstance(form, RawPlan):
        return Plan(head, form, counters)
    return Shares(head, form, counters)


def _tables(
    head: Head, raw: list[RawLadder], controller: Controller | None, counters: Counters
) -> PolicyTables:
    tables = [PolicyTable(head, ladder, controller, counters) for ladder in raw]
    by_class = {table.request_class: table for table in tables}
    if len(by_class) < len(tables):
        raise BadMeaning("two ladders have the same `request_class`")
    return by_class


def _split(forms: list[RawForm]) -> tuple[list[RawForm], Controller | None]:
    """The forms without the controller, which is last, and the controller."""
    if any(isinstance(form, RawController) for form in forms[:-1]):
        raise BadMeaning("`forms` must have at most one controller, as the last form")
    if forms and isinstance(last := forms[-1], RawController):
        return forms[:-1], Controller(last)
    return forms, None


def _acting_on(controller: Controller | None, actuator: str | None) -> Controller | None:
    if controller is not None and controller.acts_on != actuator:
        raise BadMeaning(
            "`acts_on` must be `climb-ages` with ladders and `latency-bound` with a tail table"
        )
    return controller
