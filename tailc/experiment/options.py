"""Options of a verification: number of replays, random seed, arrivals and baselines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tailc.errors import Code, Finding, TailcError
from tailc.models.arrivals import MOST_ARRIVALS, WARM_UP_PART, Arrivals
from tailc.models.core_queues.chip import Chip
from tailc.percentiles import PPM
from tailc.units import format_ppm

if TYPE_CHECKING:
    from tailc.tasks.engine import TaskEngine

# Enough that the simulation noise of a 99th percentile is small compared with that of a few
# thousand held-out requests, and few enough for three rates in seconds.
FEWEST_REQUESTS = 20_000
MOST_REQUESTS = 60_000
# So that their variance is known to about a fifth.
FEWEST_REPLICATES = 49
# With more, the limits of an interval no longer move, and all replays take hours.
MOST_REPLICATES = 10_000
# One repeat has no variance.
FEWEST_REPEATS = 2
MOST_SEED = 2**63 - 1


@dataclass(frozen=True)
class VerifyOptions:
    """What a verification replays, how often, and with how many threads.

    Each is an option of the command line. None leaves a choice to the policy, the trace or the
    machine, independently of the other options. Raises TailcError for values that allow no
    interval.

    Attributes:
        arrivals: None: those that the policy was tuned for, at the rates that it was compiled for.
        baselines: names; `all` for those that suit the policy, `first` for the first of those.
            None: the first, the best settings by hand at each rate, and the policy without its
            extras.
        cut_off_us: run time at which the server ends a request, its work unfinished.
        other_power_ppm: share of power outside the cores, in the server of the baseline that energy
            is relative to.
        seed: random seed.
        requests_per_replay: None: by the size of the trace.
        replicates: number of bootstrap samples of the held-out requests, each on the arrivals of a
            repeat.
        repeats: number of replays of the held-out requests themselves, each with other arrivals.
        threads: None for all cores; the result does not depend on it.
        allow_compile_trace: whether requests of the compile may be replayed.
        progress: called with the numbers of finished and of all replays, from the calling thread.
        held_out_name: name of the held-out trace in messages.
        pictured: whether to compute the spectra and the occupancy that only pictures show.
        further_percentiles_ppm: percentiles that a comparison of two policies reports in addition
            to their own.
        chip: what the cores of a policy share, and their batch work; None: they share nothing, and
            the policy states the rest. Only `verify` replays a chip.
        comparisons: number of services whose rulings are wrong together with at most 5 %.
        engine: runs the replays of each arrival process as a task, and those of each policy and
            baseline to size; None: threads of this process.
    """

    arrivals: tuple[Arrivals, ...] | None = None
    baselines: tuple[str, ...] | None = None
    cut_off_us: int | None = None
    other_power_ppm: int = 0
    seed: int = 1
    requests_per_replay: int | None = None
    replicates: int = 100
    repeats: int = 24
    threads: int | None = None
    allow_compile_trace: bool = False
    progress: Callable[[int, int], None] | None = None
    held_out_name: str = "held-out trace"
    pictured: bool = False
    further_percentiles_ppm: tuple[int, ...] = ()
    chip: Chip | None = None
    comparisons: int = 1
    engine: TaskEngine | None = None

    def __post_init__(self) -> None:
        findings = [Finding(Code.USAGE, sentence) for sentence in self._faults()]
        if findings:
            raise TailcError(findings)

    def _faults(self) -> Iterator[str]:
        if self.cut_off_us is not None and self.cut_off_us < 1:
            yield f"a cut-off after `{self.cut_off_us}` us must be above 0"
        if not 0 <= self.other_power_ppm < PPM:
            share = format_ppm(self.other_power_ppm)
            yield f"other power of `{share}` is not from 0 % to below 100 %"
        requests, threads = self.requests_per_replay, self.threads
        if requests is not None and requests < WARM_UP_PART:
            yield f"a replay of `{requests}` requests is too short: it needs {WARM_UP_PART}"
        if requests is not None and requests > MOST_ARRIVALS:
            yield f"a replay of `{requests}` requests is too long: at most {MOST_ARRIVALS}"
        if not 0 <= self.seed <= MOST_SEED:
            yield f"seed `{self.seed}` is not between 0 and {MOST_SEED}"
        if self.replicates > MOST_REPLICATES:
            yield f"`{self.replicates}` replicates are too many: at most {MOST_REPLICATES}"
        if self.replicates < FEWEST_REPLICATES:
            yield (
                f"`{self.replicates}` replicates are too few: a 95 % interval needs "
                f"{FEWEST_REPLICATES}"
            )
        if self.repeats < FEWEST_REPEATS:
            yield f"`{self.repeats}` repeats are too few: simulation noise needs {FEWEST_REPEATS}"
        if threads is not None and threads < 1:
            yield f"the number of threads is `{threads}`, but must be at least 1"

    @property
    def of_task(self) -> VerifyOptions:
        """The options of a task of the engine, which uses one thread by default."""
        return replace(self, engine=None, progress=None, threads=self.threads or 1)

    def requests_for(self, held_out_requests: int) -> int:
        """Number of requests in one replay: that of the held-out requests, within fixed limits."""
        if self.requests_per_replay is not None:
            return self.requests_per_replay
        return min(max(held_out_requests, FEWEST_REQUESTS), MOST_REQUESTS)
