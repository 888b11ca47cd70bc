"""Classes of colours; what they look like is in pictures.css."""

from __future__ import annotations

LINES = 12
_RUNGS = 8
_STEPS = 3


def line_tone(number: int) -> str:
    """Of the subject of that number; 0 is the policy."""
    return f"t{number if number < LINES else 1 + (number - 1) % (LINES - 1)}"


def rung_tone(rung: int, rungs: int) -> str:
    """From the slowest rung to the fastest, as far apart as there are colours."""
    return f"r{round(rung * (_RUNGS - 1) / max(rungs - 1, 1))}"


def change_tone(rungs: int) -> str:
    """Of a look-up that answers so many rungs further up than before."""
    if rungs == 0:
        return "same"
    return f"{'up' if rungs > 0 else 'down'}{min(abs(rungs), _STEPS)}"
