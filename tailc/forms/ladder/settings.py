"""Format what a server sets for a request on each rung, such as threads or frequency."""

from __future__ import annotations

from tailc.forms.ladder.table import Ladder, Rung
from tailc.units import format_khz, plain_ppm, printable

NOT_STATED = "not stated"


def setting_texts(rung: Rung) -> dict[str, str]:
    """Format each setting of a rung, such as its threads or its frequency, by name.

    A setting that the rung does not determine has the text `not stated`.
    """
    khz, one_thread = rung.frequency_khz, rung.one_thread_ppm
    return {
        "threads": NOT_STATED if rung.threads is None else str(rung.threads),
        "frequency": NOT_STATED if khz is None else format_khz(khz),
        "core type": NOT_STATED if rung.core_type is None else printable(rung.core_type),
        "lane": NOT_STATED if rung.lane is None else rung.lane.value,
        "speed of one thread": NOT_STATED if one_thread is None else plain_ppm(one_thread),
    }


def settings_text(ladder: Ladder) -> str:
    """Format the settings that rungs determine, one line for each setting with its value by rung.

    The text is empty if rungs determine no setting.
    """
    by_rung = [setting_texts(rung) for rung in ladder.rungs]
    values = {name: [texts[name] for texts in by_rung] for name in by_rung[0]}
    return "\n".join(
        f"{name} by rung: {', '.join(texts)}"
        for name, texts in values.items()
        if any(text != NOT_STATED for text in texts)
    )
