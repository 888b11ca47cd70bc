"""How a table that was tuned on the replay compares with the formula's."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from tailc.experiment.tuned_arrivals import arrivals_text, pattern_settings
from tailc.forms.ladder.table import Ladder
from tailc.forms.ladder.units import WATTS, shared_unit
from tailc.forms.tail_table import TailTable
from tailc.percentiles import PPM
from tailc.report.energy import energy_text, in_watts
from tailc.report.judging import OVERLOADED, judging_text
from tailc.report.table import aligned
from tailc.specs.slo import promise
from tailc.units import format_mrps, format_us

if TYPE_CHECKING:
    from tailc.artifact.envelope import Evidence
    from tailc.tuning.highest_rate import HighestRate, RateComparison
    from tailc.tuning.tuned_table import AnyTunedTable
    from tailc.tuning.validation import RateGain


_ENERGY, _BATCH = "energy", "batch work"
_INTERVAL = "95 % interval"
_CLAIRVOYANT = (
    "clairvoyant: a schedule that knows every size on arrival; closed: part of the gap to it"
)
_FORESEEN = "clairvoyant: levels chosen knowing every request before it arrives"


def queue_result(tuned: AnyTunedTable) -> dict[str, object]:
    """By rate the tail [us] of both tables, and the change with its 95 % interval.

    Null are tails of a table that does not keep up in some replay, and the change from or to it.
    The change is of energy where that is minimised, in millionths of the unit of power times us,
    or of the batch work that is given up, which is told as what is left of it by core. The
    formula's table has `formula_part_ppm` of its ages, or of its bound, then, null where none keeps
    the limit.
    """
    told: dict[str, object] = {}
    if tuned.raised is not None:
        told["highest"] = _raised_result(tuned.raised)
    return {
        "queue": told
        | {
            "objective": tuned.aim.criterion.value,
            "limit_us": tuned.aim.limit_us,
            "formula_part_ppm": tuned.judged.formula_part_ppm,
            "is_better": tuned.judged.is_better,
            "judged_on": tuned.judged_on,
            "is_held_out": tuned.kept_out,
            "requests": tuned.requests,
            "settled": tuned.has_settled,
            "rates": _rate_results(tuned),
        }
    }


def _raised_result(raised: RateComparison) -> dict[str, object]:
    """Rates in thousandths of a request per second; null of a table with none."""
    told: dict[str, object] = {
        name: None
        if found is None
        else {
            "rate_mrps": found.rate_mrps,
            "low_mrps": found.low_mrps,
            "high_mrps": found.high_mrps,
            "is_open": found.is_open,
        }
        for name, found in _both(raised)
    }
    change = raised.change
    return told | {
        "change_ppm": change and change.ppm,
        "change_low_ppm": change and change.low_ppm,
        "change_high_ppm": change and change.high_ppm,
    }


def _rate_results(tuned: AnyTunedTable) -> list[dict[str, object]]:
    if tuned.aim.criterion.value != _BATCH:
        return [
            _gain_result(gain) | _energies(gain, foreseen)
            for gain, foreseen in zip_longest(tuned.judged.gains, tuned.foreseen_energy)
        ]
    return [
        _gain_result(gain)
        | {
            "formula_batch_ppm": left.formula_ppm,
            "tuned_batch_ppm": left.tuned_ppm,
            "max_batch_ppm": left.most_ppm,
        }
        for gain, left in zip(tuned.judged.gains, tuned.batch, strict=True)
    ]


def _energies(gain: RateGain, foreseen: int | None) -> dict[str, object]:
    if gain.energy is None:
        return {}
    told: dict[str, object] = {
        "formula_energy": gain.energy.formula,
        "tuned_energy": gain.energy.tuned,
    }
    return told if foreseen is None else told | {"clairvoyant_energy": foreseen}


def _gain_result(gain: RateGain) -> dict[str, object]:
    is_measure = not gain.is_overloaded
    return {
        "rate_mrps": gain.rate_mrps,
        "formula_us": None if gain.formula_overloaded else gain.formula_us,
        "tuned_us": None if gain.tuned_overloaded else gain.tuned_us,
        "change_ppm": gain.change_ppm if is_measure else None,
        "change_low_ppm": gain.low_ppm if is_measure else None,
        "change_high_ppm": gain.high_ppm if is_measure else None,
        "clairvoyant_us": gain.clairvoyant_us,
    }


def queue_text(tuned: AnyTunedTable, evidence: Evidence) -> str:
    """The same as a table, and how the search ended."""
    return f"{_judged_text(tuned, evidence)}\n{_search_text(tuned)}"


def _search_text(tuned: AnyTunedTable) -> str:
    ended = "with its budget" if not tuned.has_settled else "as it became no better"
    return f"the search ended {ended}, after {tuned.requests:,} simulated requests"


def _judged_text(tuned: AnyTunedTable, evidence: Evidence) -> str:
    told = pattern_settings(tuned.aim)
    arrivals = f" under {arrivals_text(told)}" if told else ""
    taken = "taken" if tuned.judged.is_better else "not taken"
    noun = tuned.aim.criterion.value
    if tuned.raised is not None:
        arrivals, noun = f"{arrivals} for {_promise(tuned)}", "highest rate"
    head = f"{noun} with queues{arrivals}, {judging_text(tuned)}: tuned table {taken}"
    if noun == _ENERGY:
        head += _formula_text(tuned)
        is_in_watts = in_watts(evidence) or _shares_watts(tuned.judged.table)
        return f"{head}\n{_energy_table(tuned, is_in_watts)}"
    if noun == _BATCH:
        return f"{head}{_formula_text(tuned)}\n{_batch_table(tuned)}"
    if tuned.raised is not None:
        rates = _rate_table(tuned.raised, tuned.aim.rates_mrps[0])
        head += f"\n{rates}\n\ntail at the highest rates"
    return f"{head}\n{_tail_table(tuned)}"


def _shares_watts(table: Ladder | TailTable) -> bool:
    return isinstance(table, TailTable) or shared_unit(table) == WATTS


def _promise(tuned: AnyTunedTable) -> str:
    assert tuned.aim.limit_us is not None
    return promise(tuned.aim.percentile_ppm, tuned.aim.limit_us)


def _rate_table(raised: RateComparison, lowest_mrps: int) -> str:
    """The rates of both tables with their intervals, and how much higher the tuned one's is."""
    rows = [("table", "highest rate", _INTERVAL)]
    rows += [(name, *_highest(found, lowest_mrps)) for name, found in _both(raised)]
    if (change := raised.change) is not None:
        rows.append(("change", *_percents(change.ppm, change.low_ppm, change.high_ppm)))
    return aligned(rows)


def _both(raised: RateComparison) -> tuple[tuple[str, HighestRate | None], ...]:
    return ("formula", raised.formula), ("tuned", raised.tuned)


def _highest(found: HighestRate | None, lowest_mrps: int) -> tuple[str, str]:
    if found is None:
        return "none", f"a replay misses at {format_mrps(lowest_mrps)}"
    ends = [format_mrps(rate) for rate in (found.rate_mrps, found.low_mrps, found.high_mrps)]
    return ends[0] + " or more" * found.is_open, f"{ends[1]} .. {ends[2]}"


def _tail_table(tuned: AnyTunedTable) -> str:
    """How far the way is closed is told of a table that is taken: the formula's has gone none."""
    gains = tuned.judged.gains
    heads = ("rate", "formula", "tuned", "change", _INTERVAL)
    rows = [(*_tails(gain), *_change(gain)) for gain in gains]
    if gains[0].clairvoyant_us is None:
        return aligned([heads, *rows])
    heads = (*heads, "clairvoyant", "closed")
    told = zip(rows, gains, strict=True)
    rows = [(*row, *_reached(gain, is_taken=tuned.judged.is_better)) for row, gain in told]
    return f"{aligned([heads, *rows])}\n{_CLAIRVOYANT}"


def _energy_table(tuned: AnyTunedTable, is_in_watts: bool) -> str:
    heads = ("rate", "formula", "tuned", "formula draws", "tuned draws", "change", _INTERVAL)
    rows: list[tuple[str, ...]] = [heads]
    for gain in tuned.judged.gains:
        assert gain.energy is not None
        drawn = (gain.energy.formula, gain.energy.tuned)
        energies = ("" if each is None else energy_text(each, is_in_watts) for each in drawn)
        rows.append((*_tails(gain), *energies, *_change(gain)))
    if not tuned.foreseen_energy:
        return aligned(rows)
    reached = [energy_text(each, is_in_watts) for each in tuned.foreseen_energy]
    told = zip(rows, ("clairvoyant draws", *reached), strict=True)
    return f"{aligned([(*row, more) for row, more in told])}\n{_FORESEEN}"


def _batch_table(tuned: AnyTunedTable) -> str:
    """What is left of batch work by core; the change is of what is given up."""
    heads = ("rate", "formula", "tuned", "formula leaves", "tuned leaves", "at most", "given up")
    rows: list[tuple[str, ...]] = [(*heads, _INTERVAL)]
    for gain, batch in zip(tuned.judged.gains, tuned.batch, strict=True):
        left_ppm = batch.formula_ppm, batch.tuned_ppm, batch.most_ppm
        left = ("" if each is None else f"{100 * each / PPM:.1f} %" for each in left_ppm)
        rows.append((*_tails(gain), *left, *_change(gain)))
    return aligned(rows)


def _formula_text(tuned: AnyTunedTable) -> str:
    """What it is compared with, where that is not the formula's table as it is."""
    limit_us, part_ppm = tuned.aim.limit_us, tuned.judged.formula_part_ppm
    assert limit_us is not None
    if part_ppm == PPM:
        return ""
    scaled = tuned.judged.scaled
    missed = f"\nthe formula's table does not reliably meet {format_us(limit_us)}"
    if part_ppm is None:
        return f"{missed}, and would not with any part of its {scaled}"
    part = f"the comparison uses {100 * part_ppm / PPM:.1f} % of its {scaled}"
    if part_ppm > PPM:
        return f"\nthe formula's table has a margin below {format_us(limit_us)}; {part}"
    return f"{missed}; {part}"


def _tails(gain: RateGain) -> tuple[str, ...]:
    both = (gain.formula_us, gain.formula_overloaded), (gain.tuned_us, gain.tuned_overloaded)
    tails = (OVERLOADED if is_overloaded else format_us(us) for us, is_overloaded in both)
    return format_mrps(gain.rate_mrps), *tails


def _change(gain: RateGain) -> tuple[str, ...]:
    if gain.is_overloaded:
        return "", ""
    return _percents(gain.change_ppm, gain.low_ppm, gain.high_ppm)


def _percents(change_ppm: int, low_ppm: int, high_ppm: int) -> tuple[str, str]:
    return _percent(change_ppm), f"{_percent(low_ppm)} .. {_percent(high_ppm)}"


def _reached(gain: RateGain, *, is_taken: bool) -> tuple[str, ...]:
    assert gain.clairvoyant_us is not None
    closed = gain.closed if is_taken else None
    return format_us(gain.clairvoyant_us), "" if closed is None else f"{closed:.0%}"


def _percent(change_ppm: int) -> str:
    return f"{100 * change_ppm / PPM:+.1f} %"
