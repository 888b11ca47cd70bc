"""Read a power model as `tailc fit power` writes it in JSON, with places for all errors.

schemas/report/power-model-1.schema.json describes the file. Only the component of the cores is used
here, but an incomplete file is refused.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field, Strict

from tailc.errors import Code, Finding, TailcError
from tailc.policies.rubik.levels import CoreParameters
from tailc.specs.document import read_document
from tailc.specs.fields import SpecModel, Whole, value_text
from tailc.specs.load import check_part
from tailc.specs.tree import Document, plain

FORMAT, VERSION = "tailc-power-model", 1
# What a command prints around its result.
_PRINTED, _COMMAND, _RESULT = "tailc-output", "fit power", "result"
_FIX = "write it again with `tailc fit power TRACE --output-format json`"
_MOST = 1_000_000
_UNITS = {
    "core": {"i": "A", "c0": "nF", "c1": "nF", "c2": "nF", "c3": "nF"},
    "uncore": {"i_u": "A", "c_u1": "nF", "c_u2": "nF"},
    "dram": {"refresh": "W", "d": "nJ"},
    "rest": {"other": "W"},
}

_Amount = Annotated[float, Strict(), Field(ge=0)]
_Count = Annotated[Whole, Field(ge=1)]
_Voltage = Literal["measured", "modelled"]


class _Parameter(SpecModel):
    name: str
    value: Annotated[float, Strict(), Field(ge=0, le=_MOST)]
    unit: str


class _Accuracy(SpecModel):
    mean_error_w: _Amount
    mean_error_share: _Amount
    long_term_share: _Amount


class _Component(_Accuracy):
    parameters: tuple[_Parameter, ...]
    residual_w: _Amount
    condition: _Count


class _Components(SpecModel):
    core: _Component
    uncore: _Component
    dram: _Component
    rest: _Component


class _Voltages(SpecModel):
    core: _Voltage
    uncore: _Voltage


class _Rows(SpecModel):
    trained: _Count
    tested: _Count


class PowerModel(SpecModel):
    """A server's power model, as `tailc fit power` writes it: parameters of each component."""

    format: str
    version: Whole
    cores: _Count
    voltage: _Voltages
    rows: _Rows
    components: _Components
    server: _Accuracy

    @property
    def core(self) -> CoreParameters:
        """Power parameters of one core of the server."""
        by_name = {each.name: each.value for each in self.components.core.parameters}
        return CoreParameters(*(Fraction(repr(by_name[name])) for name in _UNITS["core"]))

    @property
    def has_own_volts(self) -> bool:
        """Whether the model was trained on measured voltages of cores."""
        return self.voltage.core == "measured"


def read_power_model(path: str) -> PowerModel:
    """Read the model in a file; TailcError with all findings."""
    document = _document(path)
    at = _where(document)
    _check_head(document, at)
    found = _check_document(document, at)
    findings = [
        finding for name in _UNITS for finding in _wrong_parameters(document, at, found, name)
    ]
    if findings:
        raise TailcError(findings)
    return found


def _check_document(document: Document, at: tuple[str, ...]) -> PowerModel:
    try:
        return check_part(document, at, PowerModel)
    except TailcError as error:
        raise TailcError([replace(finding, help=_FIX) for finding in error.findings]) from None


def _document(path: str) -> Document:
    try:
        return read_document(path)
    except TailcError as error:
        first = error.findings[0]
        message = (
            first.message if first.code is Code.CANNOT_READ else ("the file is not a power model")
        )
        raise TailcError(Finding(first.code, message, first.place, _FIX)) from None


def _where(document: Document) -> tuple[str, ...]:
    """The path of the model: the root, or the result of the command that printed it."""
    if _value(document, "format") != _PRINTED:
        return ()
    command = _value(document, "command")
    if command == _COMMAND and _value(document, _RESULT, "format") is not None:
        return (_RESULT,)
    message = f"the file is the output of {value_text(command)}, which has no power model"
    place = document.place(document.span_of(("command",)))
    raise TailcError(Finding(Code.BAD_VALUE, message, place, _FIX))


def _check_head(document: Document, at: tuple[str, ...]) -> None:
    stated_format, version = _value(document, *at, "format"), _value(document, *at, "version")
    if stated_format != FORMAT:
        fault = (
            "has no `format`"
            if stated_format is None
            else f"has the format {value_text(stated_format)}"
        )
        message, key = f"the file is not a power model: it {fault}, not `{FORMAT}`", "format"
    elif version != VERSION or isinstance(version, bool):
        message, key = (
            (f"version {value_text(version)} of power models is unknown to this version of tailc"),
            "version",
        )
    else:
        return
    place = document.place(document.span_of((*at, key)))
    raise TailcError(Finding(Code.BAD_VALUE, message, place, _FIX))


def _value(document: Document, *at: str) -> object:
    node = document.node_at(at)
    return None if node is None else plain(node)


def _wrong_parameters(
    document: Document, at: tuple[str, ...], model: PowerModel, name: str
) -> list[Finding]:
    """One finding where a component has other parameters or units than it should."""
    units = _UNITS[name]
    parameters = getattr(model.components, name).parameters
    given_units = [(each.name, each.unit) for each in parameters]
    if given_units == list(units.items()):
        return []
    wanted = ", ".join(f"`{key}` in {unit}" for key, unit in units.items())
    message = f"the parameters of `{name}` are not {wanted}, in this order"
    place = document.place(document.span_of((*at, "components", name, "parameters")))
    return [Finding(Code.BAD_VALUE, message, place, _FIX)]
