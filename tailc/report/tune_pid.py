"""Reports of a tuned controller as text and JSON data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tailc.report.document import finite_or_null
from tailc.report.table import align_columns
from tailc.studies.tune_pid import PidLoop, Study
from tailc.units import printable

FORMAT = "tailc-tune-pid"
VERSION = 1

_DIGITS = 4
_HEADS = (
    *("loop", "kp", "ki", "kd", "Ms", "Mt", "gain m.", "phase m.", "delay m."),
    *("over", "settles", "ITAE", "load IAE"),
)
_CRITERIA = {
    "balanced": "ITAE of the set point's step and IAE of a load's step, with equal weight",
    "setpoint": "ITAE of the set point's step",
    "load": "IAE of a load's step",
}


def as_text(study: Study) -> str:
    """Format the plant, the tuned gains in every form, and the loops of all tuning rules."""
    parts = [
        "\n".join((_request_line(study), _plant_line(study), *_residual_lines(study))),
        align_columns(_forms(study), (1, 2, 3)),
        align_columns(_loops(study), range(1, len(_HEADS))),
        _legend(study),
    ]
    return "\n\n".join(parts) + "\n"


def _request_line(study: Study) -> str:
    wish = study.wish
    over = ""
    if math.isfinite(wish.max_overshoot):
        over = f", overshoot <= {100 * wish.max_overshoot:g} %"
    return (
        f"{wish.structure.upper()} controller tuned for small {_CRITERIA[wish.criterion]}, "
        f"Ms <= {wish.max_sensitivity:g}{over}"
    )


def _plant_line(study: Study) -> str:
    return f"plant: {transfer_function(study)}"


def _residual_lines(study: Study) -> list[str]:
    if study.residual is None:
        return []
    left = f"{_number(study.residual)} {printable(study.units.output)}"
    return [f"fit:   {left} root mean square of the residuals"]


def transfer_function(study: Study) -> str:
    """Format the plant's transfer function, in s or in z^-1."""
    plant = plant_dict(study)
    if study.wish.sample_time is None:
        above, below = (_polynomial(plant[key][::-1], "s") for key in ("num", "den"))
        delay = f" e^(-{_number(plant['dead_time'])} s)" if plant["dead_time"] else ""
        return f"({above}) / ({below}){delay}"
    above, below = (_polynomial(plant[key], "z^-", 1) for key in ("b", "a"))
    return f"z^-{plant['delay_samples']} ({above}) / ({below})"


def _polynomial(ascending: Sequence[float], name: str, first: int = 0) -> str:
    """Format a polynomial, constant term first."""
    terms = []
    for power, coefficient in enumerate(ascending):
        if coefficient == 0 and len(ascending) > 1:
            continue
        text = f"{'-' if coefficient < 0 else '+'} {_number(abs(coefficient))}"
        power_text = f"{power}" if first or power > 1 else ""
        mark = "^" if not first and power > 1 else ""
        terms.append(text + (f" {name}{mark}{power_text}" if power else ""))
    joined = " ".join(terms)
    return joined[2:] if joined.startswith("+ ") else joined


def _forms(study: Study) -> list[tuple[str, ...]]:
    """Build a row of gains with units for every controller form that applies."""
    t, unit = printable(study.units.time), _unit_of_gain(study)
    gains = gains_dict(study)
    parallel, ideal, velocity = gains["parallel"], gains["ideal"], gains["velocity"]
    rows: list[tuple[str, ...]] = [
        ("form", "proportional", "integral", "derivative"),
        (
            "parallel",
            f"kp {_number(parallel['kp'])} {unit}",
            f"ki {_number(parallel['ki'])} {unit}/{t}",
            f"kd {_number(parallel['kd'])} {unit} {t}",
        ),
    ]
    if ideal is not None:
        cells = (
            f"K {_number(ideal['k'])} {unit}",
            f"Ti {_number(ideal['ti'])} {t}",
            f"Td {_number(ideal['td'])} {t}",
        )
        rows.append(("ideal", *cells))
    if velocity is not None:
        kp, ki, kd = (f"{name} {_number(velocity[name])} {unit}" for name in ("kp", "ki", "kd"))
        rows.append(("velocity", kp, ki, kd))
    return rows


def _unit_of_gain(study: Study) -> str:
    return f"{printable(study.units.input)}/{printable(study.units.output)}"


def _loops(study: Study) -> list[tuple[str, ...]]:
    return [_HEADS, *(_row(study, loop) for loop in (study.tuned, *study.rules))]


def _row(study: Study, loop: PidLoop) -> tuple[str, ...]:
    blanks = len(_HEADS) - 1
    if loop.gains is None:
        return loop.name, "none", *("-" for _ in range(blanks - 1))
    gains = tuple(map(_number, _in_time(study, loop.gains)))
    if loop.margins is None:
        return (loop.name, *gains, "unstable", *("-" for _ in range(blanks - 4)))
    robust, done, unit = loop.margins.robustness, loop.margins.performance, study.unit_of_time
    return (
        *(loop.name, *gains),
        f"{robust.max_sensitivity:.3f}",
        f"{robust.max_complementary:.3f}",
        _number(robust.gain_margin),
        f"{robust.phase_margin_deg:.1f}",
        _number(robust.delay_margin * unit),
        f"{100 * done.overshoot:.1f} %",
        _number(done.settling * unit),
        _number(done.itae_setpoint * unit**2),
        _number(done.iae_load * unit),
    )


def _legend(study: Study) -> str:
    t = printable(study.units.time)
    form = "u(k) = u(k-1) + kp (e - e1) + ki e + kd (e - 2 e1 + e2), e = set point - output."
    if study.wish.sample_time is None:
        form = (
            "u = kp e + ki integral of e + kd de/dt / (1 + s kd / (10 kp)), e = set point - output."
        )
    return (
        f"{form}\nGains of all loops are parallel. Ms, Mt: largest |S| and |T|; gain m.: factor; "
        f"phase m.: degrees;\ndelay m. and settles (within 2 %): {t}; ITAE and IAE: of unit steps "
        f"of the set point and of a load\nat the plant's input, times in {t}."
    )


def as_dict(study: Study) -> dict[str, Any]:
    """Convert the study to JSON data, as schemas/report/tune-pid-1.schema.json describes."""
    wish = study.wish
    return {
        "format": FORMAT,
        "version": VERSION,
        "structure": wish.structure,
        "criterion": {
            "name": wish.criterion,
            "value": study.criterion * study.unit_of_time,
            "max_sensitivity": wish.max_sensitivity,
            "max_overshoot": finite_or_null(wish.max_overshoot),
        },
        "units": {
            "time": study.units.time,
            "input": study.units.input,
            "output": study.units.output,
        },
        "sample_time": wish.sample_time,
        "plant": plant_dict(study),
        "residual": study.residual,
        "gains": gains_dict(study),
        "loops": [_loop_dict(study, loop) for loop in (study.tuned, *study.rules)],
    }


def plant_dict(study: Study) -> dict[str, Any]:
    """Coefficients of the plant: descending powers of s, or ascending powers of z^-1."""
    plant: Any = study.plant
    if study.wish.sample_time is None:
        return {"num": list(plant.num), "den": list(plant.den), "dead_time": plant.dead_time}
    return {"b": list(plant.b), "a": list(plant.a), "delay_samples": plant.delay}


def gains_dict(study: Study) -> dict[str, Any]:
    """Tuned gains in every controller form; None for a form that does not apply."""
    assert study.tuned.gains is not None
    kp, ki, kd = _in_time(study, study.tuned.gains)
    ideal = {"k": kp, "ti": kp / ki, "td": kd / kp} if kp else None
    velocity = None
    if study.wish.sample_time is not None:
        velocity = dict(zip(("kp", "ki", "kd"), study.tuned.gains, strict=True))
    return {
        "parallel": {"kp": kp, "ki": ki, "kd": kd},
        "ideal": ideal,
        "velocity": velocity,
    }


def _in_time(study: Study, gains: tuple[float, float, float]) -> tuple[float, float, float]:
    """Convert parallel gains to the user's unit of time."""
    kp, ki, kd = gains
    return kp, ki / study.unit_of_time, kd * study.unit_of_time


def _loop_dict(study: Study, loop: PidLoop) -> dict[str, Any]:
    gains = None
    if loop.gains is not None:
        gains = dict(zip(("kp", "ki", "kd"), _in_time(study, loop.gains), strict=True))
    margins = None
    if loop.margins is not None:
        robust, done, unit = loop.margins.robustness, loop.margins.performance, study.unit_of_time
        margins = {
            "gain_margin": finite_or_null(robust.gain_margin),
            "phase_margin_deg": finite_or_null(robust.phase_margin_deg),
            "delay_margin": finite_or_null(robust.delay_margin * unit),
            "max_sensitivity": robust.max_sensitivity,
            "max_complementary": robust.max_complementary,
            "overshoot": done.overshoot,
            "settling": finite_or_null(done.settling * unit),
            "iae_setpoint": done.iae_setpoint * unit,
            "itae_setpoint": done.itae_setpoint * unit**2,
            "iae_load": done.iae_load * unit,
            "itae_load": done.itae_load * unit**2,
        }
    return {"name": loop.name, "parallel": gains, "margins": margins}


def _number(value: float) -> str:
    return f"{value:.{_DIGITS}g}" if math.isfinite(value) else "inf"
