"""Speed and power of batch work on core queues, as the evidence of a policy states them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.forms.tail_table import Batch
from tailc.percentiles import PPM
from tailc.units import format_khz

# Fields of the evidence of a policy with batch work.
MEMORY, THROUGHPUT, OUTSIDE = "batch_memory_ppm", "batch_throughput_ppm", "batch_outside_mw"
# Beyond what a spec can say; sums over cores stay within 64 bits.
_LARGEST = 2**43


def power_field(frequency_khz: int) -> str:
    """Name of the evidence field with a core's power during batch work at a frequency [mW]."""
    return f"batch_mw_at_{frequency_khz}"


def best_field(least_khz: int) -> str:
    """Name of the evidence field with the best batch frequency for a request frequency [kHz].

    least_khz: the request frequency.
    """
    return f"batch_khz_at_{least_khz}"


@dataclass(frozen=True)
class BatchModel:
    """Speed and power of batch work, from which its energy at any frequency follows.

    memory_ppm: share of the batch work's cycles at the reference clock that wait for memory.
    throughput_ppm: work per second of a core that does only batch work at that clock. outside_mw:
    power of the server outside its cores. power_mw: power of a core with batch work, by frequency;
    empty if unknown. best_khz: best frequency of batch work, by frequency of requests.
    """

    memory_ppm: int = 0
    throughput_ppm: int = PPM
    outside_mw: int = 0
    power_mw: Mapping[int, int] = field(default_factory=dict)
    best_khz: Mapping[int, int] = field(default_factory=dict)

    @property
    def has_unit(self) -> bool:
        """Whether the evidence is enough to compute the energy per unit of batch work.

        That is, the unit of batch work and all powers of the server are known.
        """
        return bool(self.power_mw)

    def work_per_second(self, frequency_khz: int, reference_khz: int) -> float:
        """Batch work per second of a core without requests at a frequency.

        In the policy's unit of work. reference_khz: clock of the measured throughput.

        Source: Bartolini, 2015, section 3.4.
        """
        memory = self.memory_ppm / PPM
        stretch = memory + (1 - memory) * reference_khz / frequency_khz
        return self.throughput_ppm / PPM / stretch

    def pair(self, requests_khz: int, batch_khz: int) -> Batch | None:
        """Pair of a request frequency and a batch frequency; None if batch power is unknown."""
        power_mw = self.power_mw.get(batch_khz)
        return None if power_mw is None else Batch(requests_khz, batch_khz, power_mw)

    def pairs(self, requests_khz: int) -> Iterator[Batch]:
        """Pairs of frequencies to try for a request frequency: two batch frequencies.

        These are the best batch frequency, and the request frequency itself.
        """
        tried = {self.best_khz.get(requests_khz, requests_khz): None, requests_khz: None}
        for batch_khz in tried:
            if (pair := self.pair(requests_khz, batch_khz)) is not None:
                yield pair


def pair_name(pair: Batch) -> str:
    """Name of the baseline that runs requests and batch work at a pair of frequencies."""
    requests, batch = (
        format_khz(khz).replace(" ", "") for khz in (pair.least_khz, pair.frequency_khz)
    )
    return f"pair-{requests}-{batch}"


def pair_text(pair: Batch) -> str:
    """Format a pair of frequencies for reports."""
    return f"{format_khz(pair.least_khz)}, batch work at {format_khz(pair.frequency_khz)}"


def batch_model_of(policy: Policy) -> BatchModel:
    """Read the batch work that the policy was compiled for; defaults if its evidence has none.

    Raises TailcError (BAD_ARTIFACT) for impossible values.
    """
    settings, table = dict(policy.evidence.settings), policy.tail_table
    if table is None or policy.batch is None:
        return BatchModel()
    memory_ppm = _setting(settings, MEMORY, 0, most=PPM)
    throughput_ppm = _setting(settings, THROUGHPUT, PPM, least=1)
    outside_mw = _setting(settings, OUTSIDE, 0)
    levels_khz = [level.frequency_khz for level in table.levels]
    powers = {khz: name for khz in levels_khz if (name := power_field(khz)) in settings}
    power_mw = {khz: _setting(settings, name, 0) for khz, name in powers.items()}
    best = {khz: settings[name] for khz in levels_khz if (name := best_field(khz)) in settings}
    return BatchModel(memory_ppm, throughput_ppm, outside_mw, power_mw, best)


def _setting(
    settings: Mapping[str, int], name: str, default: int, *, least: int = 0, most: int = _LARGEST
) -> int:
    value = settings.get(name, default)
    if least <= value <= most:
        return value
    message = f"the evidence states `{name}` as {value:,}, which batch work cannot have"
    raise TailcError(Finding(Code.BAD_ARTIFACT, message, help="compile the policy again"))
