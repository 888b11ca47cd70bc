"""From a path to a policy in memory: nothing is believed before it is checked."""

from __future__ import annotations

import os
from pathlib import Path

from tailc_runtime.controller import CLIMB_AGES, LATENCY_BOUND, Controller
from tailc_runtime.errors import BadMeaning, BadStructure, OtherForm, PolicyError, UnknownClass
from tailc_runtime.json_form import read_json
from tailc_runtime.plan import Plan
from tailc_runtime.raw import Head, RawController, RawForm, RawLadder, RawPlan, RawTailTable
from tailc_runtime.shares import Shares
from tailc_runtime.table import PolicyTable
from tailc_runtime.tail_table import TailTable

_MOST_BYTES = 64 * 1024 * 1024

# Tables by request class; None is the one for all classes.
PolicyTables = dict[str | None, PolicyTable]
AnyPolicy = PolicyTables | TailTable | Shares | Plan

_NAMES = {dict: "ladders", TailTable: "a tail table", Shares: "shares", Plan: "a plan"}


def open_policy(path: str | os.PathLike[str], request_class: str | None = None) -> PolicyTable:
    """The table for `request_class`, or the one for all classes where it has none of its own.

    Raises OSError, or PolicyError: length and hash are checked first, then structure, then meaning.
    """
    tables = open_policies(path)
    if request_class in tables:
        return tables[request_class]
    if None in tables:
        return tables[None]
    known = ", ".join(f"`{name}`" for name in tables)
    raise UnknownClass(f"{path}: no ladder for class `{request_class}`; there are {known}")


def open_policies(path: str | os.PathLike[str]) -> PolicyTables:
    """Every table of the policy by request class; None is the one for all classes.

    Where the policy has a controller it is the same one in every table.
    """
    opened = open_any(path)
    if isinstance(opened, dict):
        return opened
    raise _other_form(path, opened, "ladders")


def open_tail_table(path: str | os.PathLike[str]) -> TailTable:
    """The policy's tail table; raises OSError, or PolicyError, as `open_policy` does."""
    opened = open_any(path)
    if isinstance(opened, TailTable):
        return opened
    raise _other_form(path, opened, "a tail table")


def open_shares(path: str | os.PathLike[str]) -> Shares:
    """The policy's shares of a host; raises OSError, or PolicyError, as `open_policy` does."""
    opened = open_any(path)
    if isinstance(opened, Shares):
        return opened
    raise _other_form(path, opened, "shares")


def open_plan(path: str | os.PathLike[str]) -> Plan:
    """The policy's plan; raises OSError, or PolicyError, as `open_policy` does."""
    opened = open_any(path)
    if isinstance(opened, Plan):
        return opened
    raise _other_form(path, opened, "a plan")


def open_any(path: str | os.PathLike[str]) -> AnyPolicy:
    """What the policy has: tables by request class, a tail table, shares, or a plan."""
    with Path(path).open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    try:
        return policy_from(data)
    except PolicyError as error:
        raise type(error)(f"{path}: {error}") from error


def policy_from(data: bytes) -> AnyPolicy:
    """As `open_any`, from the file's content."""
    if len(data) > _MOST_BYTES:
        raise BadStructure("the file is larger than any policy")
    if data.startswith(b"{") and data[4:8] != b"TLC1":
        return _opened(*read_json(data))
    # Imported here, so that JSON policies need no package beyond the standard library.
    from tailc_runtime.flat_form import read_flat

    return _opened(*read_flat(data))


def _other_form(path: str | os.PathLike[str], opened: AnyPolicy, wanted: str) -> OtherForm:
    return OtherForm(f"{path}: the policy has {_NAMES[type(opened)]}, not {wanted}")


def _opened(head: Head, forms: list[RawForm]) -> AnyPolicy:
    """What the forms are together: ladders, or one form of another kind."""
    steers, controller = _split(forms)
    ladders = [form for form in steers if isinstance(form, RawLadder)]
    if steers and len(ladders) == len(steers):
        return _tables(head, ladders, _acting_on(controller, CLIMB_AGES))
    if len(steers) != 1 or ladders:
        raise BadMeaning("a policy needs ladders, a tail table, shares or a plan: one of these")
    (form,) = steers
    if isinstance(form, RawTailTable):
        return TailTable(head, form, _acting_on(controller, LATENCY_BOUND))
    assert not isinstance(form, RawLadder | RawController)
    _acting_on(controller, None)
    return Plan(head, form) if isinstance(form, RawPlan) else Shares(head, form)


def _tables(head: Head, ladders: list[RawLadder], controller: Controller | None) -> PolicyTables:
    tables = [PolicyTable(head, ladder, controller) for ladder in ladders]
    by_class = {table.request_class: table for table in tables}
    if len(by_class) < len(tables):
        raise BadMeaning("a policy has one ladder for each class of requests")
    return by_class


def _split(forms: list[RawForm]) -> tuple[list[RawForm], Controller | None]:
    """The forms but the controller, which comes last."""
    if any(isinstance(form, RawController) for form in forms[:-1]):
        raise BadMeaning("one controller at most steers a policy, and comes last")
    if forms and isinstance(last := forms[-1], RawController):
        return forms[:-1], Controller(last)
    return forms, None


def _acting_on(controller: Controller | None, actuator: str | None) -> Controller | None:
    if controller is not None and controller.acts_on != actuator:
        raise BadMeaning("the controller acts on what the policy has not")
    return controller
