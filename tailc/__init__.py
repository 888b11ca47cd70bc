"""tailc: a policy compiler for tail latency.

The public API is small: `compile_policy` turns a spec into a `Policy`, `read_artifact` and
`write_artifact` move it between memory and disk, `lookup` returns what a request does at an age,
`verify_policy` judges it on held-out data, `diff_policies` compares two policies, and
`size_policies` finds the highest rate of a server. Plants and control loops are converted to
objects of python-control, and plants and controllers from them. Each name is imported when first
used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from tailc.version import __version__ as __version__

if TYPE_CHECKING:
    from tailc_solvers.control.plant import Plant, SampledPlant
    from tailc_solvers.control.python_control import from_control as plant_from_control
    from tailc_solvers.control.python_control import (
        gains_from_control,
        law_to_control,
        loop_to_control,
    )
    from tailc_solvers.control.python_control import to_control as plant_to_control

    from tailc.artifact.envelope import Policy
    from tailc.artifact.files import read_policy as read_artifact
    from tailc.artifact.files import write_policy as write_artifact
    from tailc.artifact.trust import trust_of
    from tailc.diff.compare import diff as diff_policies
    from tailc.errors import TailcError
    from tailc.experiment.options import VerifyOptions
    from tailc.forms.ladder.batch import BatchLookup
    from tailc.forms.ladder.lookup import lookup
    from tailc.pipeline.compilation import Judging
    from tailc.pipeline.compile import compile_policy
    from tailc.studies.held_out import read_held_out
    from tailc.verify.judge import verify as verify_policy
    from tailc.verify.size import size as size_policies

# Where a name lives, and what it is called there if not the same.
_HOMES = {
    "BatchLookup": "tailc.forms.ladder.batch",
    "Judging": "tailc.pipeline.compilation",
    "Plant": "tailc_solvers.control.plant",
    "Policy": "tailc.artifact.envelope",
    "SampledPlant": "tailc_solvers.control.plant",
    "TailcError": "tailc.errors",
    "VerifyOptions": "tailc.experiment.options",
    "compile_policy": "tailc.pipeline.compile",
    "diff_policies": "tailc.diff.compare:diff",
    "gains_from_control": "tailc_solvers.control.python_control",
    "law_to_control": "tailc_solvers.control.python_control",
    "lookup": "tailc.forms.ladder.lookup",
    "loop_to_control": "tailc_solvers.control.python_control",
    "plant_from_control": "tailc_solvers.control.python_control:from_control",
    "plant_to_control": "tailc_solvers.control.python_control:to_control",
    "read_held_out": "tailc.studies.held_out",
    "read_artifact": "tailc.artifact.files:read_policy",
    "size_policies": "tailc.verify.size:size",
    "trust_of": "tailc.artifact.trust",
    # Not `verify`: that name is the package's, once anything has imported it.
    "verify_policy": "tailc.verify.judge:verify",
    "write_artifact": "tailc.artifact.files:write_policy",
}

__all__ = [
    "BatchLookup",
    "Judging",
    "Plant",
    "Policy",
    "SampledPlant",
    "TailcError",
    "VerifyOptions",
    "compile_policy",
    "diff_policies",
    "gains_from_control",
    "law_to_control",
    "lookup",
    "loop_to_control",
    "plant_from_control",
    "plant_to_control",
    "read_artifact",
    "read_held_out",
    "size_policies",
    "trust_of",
    "verify_policy",
    "write_artifact",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        module, _, other_name = _HOMES[name].partition(":")
        return getattr(importlib.import_module(module), other_name or name)
    raise AttributeError(f"module `tailc` has no attribute `{name}`")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
