"""Reports of a table tuned by simulation, compared with the formula's table."""

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
from tailc.report.table import align_columns
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
_FORESEEN = "clairvoyant: levels chosen with all requests known in advance"


def queue_result(tuned: AnyTunedTable) -> dict[str, object]:
    """Build the JSON data of a tuned table: at each rate its tail and the formula table's [us].

    The change has a 95 % interval. A tail is null if the table is overloaded in some replay, and so
    is the change then. If energy is minimised, the change is of energy, and energies are in 1e-6 of
    the unit of power times us. If batch work is maximised, the change is of the batch work that is
    lost, and both tables have the share of batch work that remains per core. `formula_part_ppm` is
    the factor on the ages, or the bound, of the formula's table with which it meets the limit; null
    if there is none.
    """
    result: dict[str, object] = {}
    if tuned.raised is not None:
        result["highest"] = _raised_result(tuned.raised)
    return {
        "queue": result
        | {
            "objective": tuned.aim.criterion.value,
            "limit_us": tuned.aim.limit_us,
            "formula_part_ppm": tuned.validated.formula_part_ppm,
            "is_better": tuned.validated.is_better,
            "judged_on": tuned.judged_on,
            "is_held_out": tuned.is_held_out,
            "requests": tuned.requests,
            "settled": tuned.has_settled,
            "rates": _rate_results(tuned),
        }
    }


def _raised_result(raised: RateComparison) -> dict[str, object]:
    """Build the JSON data of the highest rates [1e-3 requests/s]; null for a table without one."""
    result: dict[str, object] = {
        name: None
        if max_rate is None
        else {
            "rate_mrps": max_rate.rate_mrps,
            "low_mrps": max_rate.low_mrps,
            "high_mrps": max_rate.high_mrps,
            "is_open": max_rate.is_open,
        }
        for name, max_rate in _named_rates(raised)
    }
    change = raised.change
    return result | {
        "change_ppm": change and change.ppm,
        "change_low_ppm": change and change.low_ppm,
        "change_high_ppm": change and change.high_ppm,
    }


def _rate_results(tuned: AnyTunedTable) -> list[dict[str, object]]:
    if tuned.aim.criterion.value != _BATCH:
        return [
            _gain_result(gain) | _energies(gain, foreseen)
            for gain, foreseen in zip_longest(tuned.validated.gains, tuned.foreseen_energy)
        ]
    return [
        _gain_result(gain)
        | {
            "formula_batch_ppm": remaining.formula_ppm,
            "tuned_batch_ppm": remaining.tuned_ppm,
            "max_batch_ppm": remaining.most_ppm,
        }
        for gain, remaining in zip(tuned.validated.gains, tuned.batch, strict=True)
    ]


def _energies(gain: RateGain, foreseen: int | None) -> dict[str, object]:
    if gain.energy is None:
        return {}
    result: dict[str, object] = {
        "formula_energy": gain.energy.formula,
        "tuned_energy": gain.energy.tuned,
    }
    return result if foreseen is None else result | {"clairvoyant_energy": foreseen}


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
    """Format the comparison of the tuned table with the formula's, and how the search ended."""
    return f"{_comparison_text(tuned, evidence)}\n{_search_text(tuned)}"


def _search_text(tuned: AnyTunedTable) -> str:
    ended = "with its budget" if not tuned.has_settled else "because the tables stopped improving"
    return f"the search ended {ended}, after {tuned.requests:,} simulated requests"


def _comparison_text(tuned: AnyTunedTable, evidence: Evidence) -> str:
    result = pattern_settings(tuned.aim)
    arrivals = f" under {arrivals_text(result)}" if result else ""
    decision = "used" if tuned.validated.is_better else "not used"
    noun = tuned.aim.criterion.value
    if tuned.raised is not None:
        arrivals, noun = f"{arrivals} for {_promise(tuned)}", "highest rate"
    head = f"{noun} with queues{arrivals}, {judging_text(tuned)}: tuned table {decision}"
    if noun == _ENERGY:
        head += _formula_text(tuned)
        is_in_watts = in_watts(evidence) or _shares_watts(tuned.validated.table)
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
    """Format the highest rates of both tables with their intervals, and the increase."""
    rows = [("table", "highest rate", _INTERVAL)]
    rows += [(name, *_highest(max_rate, lowest_mrps)) for name, max_rate in _named_rates(raised)]
    if (change := raised.change) is not None:
        rows.append(("change", *_percents(change.ppm, change.low_ppm, change.high_ppm)))
    return align_columns(rows)


def _named_rates(raised: RateComparison) -> tuple[tuple[str, HighestRate | None], ...]:
    return ("formula", raised.formula), ("tuned", raised.tuned)


def _highest(max_rate: HighestRate | None, lowest_mrps: int) -> tuple[str, str]:
    if max_rate is None:
        return "none", f"a replay misses at {format_mrps(lowest_mrps)}"
    ends = [
        format_mrps(rate) for rate in (max_rate.rate_mrps, max_rate.low_mrps, max_rate.high_mrps)
    ]
    return ends[0] + " or more" * max_rate.is_open, f"{ends[1]} .. {ends[2]}"


def _tail_table(tuned: AnyTunedTable) -> str:
    """Format the tails of both tables at each rate, and the clairvoyant bound where it is known.

    The share of the gap to the bound that is closed is printed for accepted tables only.
    """
    gains = tuned.validated.gains
    heads = ("rate", "formula", "tuned", "change", _INTERVAL)
    rows = [(*_tails(gain), *_change(gain)) for gain in gains]
    if gains[0].clairvoyant_us is None:
        return align_columns([heads, *rows])
    heads = (*heads, "clairvoyant", "closed")
    result = zip(rows, gains, strict=True)
    rows = [
        (*row, *_reached_text(gain, is_taken=tuned.validated.is_better)) for row, gain in result
    ]
    return f"{align_columns([heads, *rows])}\n{_CLAIRVOYANT}"


def _energy_table(tuned: AnyTunedTable, is_in_watts: bool) -> str:
    heads = ("rate", "formula", "tuned", "formula uses", "tuned uses", "change", _INTERVAL)
    rows: list[tuple[str, ...]] = [heads]
    for gain in tuned.validated.gains:
        assert gain.energy is not None
        energies_of_tables = (gain.energy.formula, gain.energy.tuned)
        energies = (
            "" if each is None else energy_text(each, is_in_watts) for each in energies_of_tables
        )
        rows.append((*_tails(gain), *energies, *_change(gain)))
    if not tuned.foreseen_energy:
        return align_columns(rows)
    reached = [energy_text(each, is_in_watts) for each in tuned.foreseen_energy]
    result = zip(rows, ("clairvoyant uses", *reached), strict=True)
    return f"{align_columns([(*row, more) for row, more in result])}\n{_FORESEEN}"


def _batch_table(tuned: AnyTunedTable) -> str:
    """Format the batch work that remains per core; the change is of the work that is lost."""
    heads = ("rate", "formula", "tuned", "formula leaves", "tuned leaves", "at most", "given up")
    rows: list[tuple[str, ...]] = [(*heads, _INTERVAL)]
    for gain, batch in zip(tuned.validated.gains, tuned.batch, strict=True):
        remaining_ppm = batch.formula_ppm, batch.tuned_ppm, batch.most_ppm
        remaining = ("" if each is None else f"{100 * each / PPM:.1f} %" for each in remaining_ppm)
        rows.append((*_tails(gain), *remaining, *_change(gain)))
    return align_columns(rows)


def _formula_text(tuned: AnyTunedTable) -> str:
    """Describe the formula's table in the comparison if it was scaled; else empty."""
    limit_us, part_ppm = tuned.aim.limit_us, tuned.validated.formula_part_ppm
    assert limit_us is not None
    if part_ppm == PPM:
        return ""
    scaled = tuned.validated.scaled
    missed = f"\nthe formula's table does not reliably meet {format_us(limit_us)}"
    if part_ppm is None:
        return f"{missed}, and would not with any scale of its {scaled}"
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


def _reached_text(gain: RateGain, *, is_taken: bool) -> tuple[str, ...]:
    assert gain.clairvoyant_us is not None
    closed = gain.closed_gap if is_taken else None
    return format_us(gain.clairvoyant_us), "" if closed is None else f"{closed:.0%}"


def _percent(change_ppm: int) -> str:
    return f"{100 * change_ppm / PPM:+.1f} %"
