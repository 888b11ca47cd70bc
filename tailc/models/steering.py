"""What steers a replay: a controller, given outputs, or, for cores, a simple rule or a look-up.

All but a look-up take a step once in `epoch_requests` completions and measure a percentile of the
last `window_requests` latencies (fewer at the beginning). All measure the arrivals since the last
step over the time since then. Both are whole numbers: microseconds, the nearest, halves up, and
thousandths of a request per second, rounded down, of whole microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tailc.forms.controller import PPM, Actuator, Controller
from tailc.forms.ladder.table import Ladder
from tailc.models.execution_model import Window
from tailc.models.outcome import NS_PER_US

UNSTEERED, CONTROLLED, GIVEN, REACTIVE, LOOKED_UP = range(5)
# Columns of `Steer.gains`.
FIRST_RATE, KP, KI, KD = range(4)
_GAIN_COLUMNS = 4
# Columns of `Steer.settings` after `FIRST_RATE`; the cores of each unit are the last ones.
SETTING_RUNG, SETTING_CORES = 1, 2
# How often a setting is looked up (Haque et al., MICRO 2017, section 5.5), and the fewest arrivals
# to measure a rate by: its standard deviation is then a tenth.
LOOKUP_PERIOD_US = 5_000_000
LOOKUP_REQUESTS = 100


@dataclass(frozen=True, eq=False)
class OpenLoop:
    """Outputs given by epoch, whatever is measured: the first from the start, the last for ever.

    outputs_ppm: int64 (epochs,), in millionths, each from 0 to 10^6.
    """

    outputs_ppm: NDArray[np.int64]
    epoch_requests: int
    window_requests: int
    percentile_ppm: int

    def __post_init__(self) -> None:
        assert len(self.outputs_ppm)
        assert 0 <= int(self.outputs_ppm.min()) <= int(self.outputs_ppm.max()) <= PPM
        assert 0 < self.epoch_requests <= self.window_requests
        assert 0 < self.percentile_ppm < PPM


@dataclass(frozen=True)
class Reactive:
    """One threshold moves by `s e / (s - 1)`, e the measured tail less the target.

    s is the speed-up of the climb. While the tail is too long the first threshold above 0 falls;
    while it is too short the last one below its first value rises, and the very first without end
    (Haque, dissertation, Rutgers 2016, section 5.3.4, who leaves open how far each rises).
    """

    percentile_ppm: int
    target_us: int
    epoch_requests: int
    window_requests: int

    def __post_init__(self) -> None:
        assert 0 < self.percentile_ppm < PPM
        assert 0 < self.epoch_requests <= self.window_requests


@dataclass(frozen=True)
class Setting:
    """Every request wants one rung, and so many cores of each unit are on; from a rate on."""

    first_rate_mrps: int
    rung: int
    cores_on: tuple[int, ...]


@dataclass(frozen=True)
class Lookup:
    """The setting for the rate of the arrivals since the last step; the last setting at first.

    A step is taken at the first exit `period_us` after the last step, and not before
    `epoch_requests` have arrived since. Requests that run go up to the new rung but not down.
    """

    settings: tuple[Setting, ...]
    epoch_requests: int = LOOKUP_REQUESTS
    period_us: int = LOOKUP_PERIOD_US

    def __post_init__(self) -> None:
        rates = [setting.first_rate_mrps for setting in self.settings]
        assert rates[0] == 0
        assert all(low < high for low, high in pairwise(rates))
        assert self.epoch_requests > 0 <= self.period_us


Steering: TypeAlias = Controller | OpenLoop | Reactive | Lookup

# A controller that is worth its name has settled by then; docs/verdicts.md has what was measured.
SETTLING_EPOCHS = 20
# That of a bound goes a fortieth of its way in an epoch where the tail follows it by a fifth.
BOUND_SETTLING_EPOCHS = 100
# As a controller measures by default (Haque et al., MICRO 2017, section 5.4).
EPOCH_REQUESTS = 500
WINDOW_REQUESTS = 2_000


def settling(steering: Steering | None) -> int:
    """How many requests pass until an output has settled: a full window, and some epochs."""
    if steering is None:
        return 0
    if isinstance(steering, Lookup):
        return steering.epoch_requests
    scales_bound = isinstance(steering, Controller) and steering.acts_on is Actuator.LATENCY_BOUND
    epochs = BOUND_SETTLING_EPOCHS if scales_bound else SETTLING_EPOCHS
    return steering.window_requests + epochs * steering.epoch_requests


def window_of(steering: Steering | None) -> Window:
    """How a tail is measured: as the controller does, if there is one."""
    if isinstance(steering, Controller):
        return Window(steering.window_requests, steering.epoch_requests)
    return Window(WINDOW_REQUESTS, EPOCH_REQUESTS)


class Steer(NamedTuple):
    """A law for compiled code; what a law does not need is 0 or empty.

    gains: (rows, 4), first rate, kp, ki, kd. limits: least, most and first output in fixed point.
    outputs_ppm: by epoch. climb_speed_ppm: (rungs, 2), speeds before and after the climb to each.
    settings: (settings, 2 + units), first rate, rung, cores on of each unit. period_ns: at least
    between two look-ups.
    """

    law: int
    epoch: int
    window: int
    percentile_ppm: int
    target_us: int
    fraction_bits: int
    limits: NDArray[np.int64]
    gains: NDArray[np.int64]
    outputs_ppm: NDArray[np.int64]
    climb_speed_ppm: NDArray[np.int64]
    settings: NDArray[np.int64]
    period_ns: int


def lowered_steering(steering: Steering | None, ladder: Ladder | None = None) -> Steer:
    """The law as arrays; without one, no step is ever taken. Only a reactive one needs a ladder."""
    nothing = np.zeros(0, np.int64)
    steer = Steer(
        UNSTEERED,
        0,
        0,
        PPM // 2,
        0,
        0,
        np.zeros(3, np.int64),
        np.zeros((1, _GAIN_COLUMNS), np.int64),
        nothing,
        np.zeros((0, 2), np.int64),
        np.zeros((0, SETTING_CORES), np.int64),
        0,
    )
    if steering is None:
        return steer
    if isinstance(steering, Lookup):
        return _looked_up(steering, steer)
    steer = steer._replace(
        epoch=steering.epoch_requests,
        window=steering.window_requests,
        percentile_ppm=steering.percentile_ppm,
    )
    match steering:
        case Controller():
            return _controlled(steering, steer)
        case OpenLoop():
            return steer._replace(law=GIVEN, outputs_ppm=steering.outputs_ppm.astype(np.int64))
        case Reactive():
            assert ladder is not None
            speeds = [rung.speed_ppm for rung in ladder.rungs]
            pairs = np.array([speeds[:1] + speeds[:-1], speeds], np.int64).T.copy()
            return steer._replace(law=REACTIVE, target_us=steering.target_us, climb_speed_ppm=pairs)


def _looked_up(lookup: Lookup, steer: Steer) -> Steer:
    settings = [(one.first_rate_mrps, one.rung, *one.cores_on) for one in lookup.settings]
    return steer._replace(
        law=LOOKED_UP,
        epoch=lookup.epoch_requests,
        settings=np.array(settings, np.int64),
        period_ns=lookup.period_us * NS_PER_US,
    )


def _controlled(controller: Controller, steer: Steer) -> Steer:
    shares = (controller.least_ppm, controller.most_ppm, controller.first_ppm)
    limits = [(share << controller.fraction_bits) // PPM for share in shares]
    gains = [(row.first_rate_mrps, row.kp, row.ki, row.kd) for row in controller.gains]
    return steer._replace(
        law=CONTROLLED,
        target_us=controller.target_us,
        fraction_bits=controller.fraction_bits,
        limits=np.array(limits, np.int64),
        gains=np.array(gains, np.int64),
    )


def first_output_ppm(steer: Steer) -> int:
    """The output before the first step [millionths]."""
    if steer.law == CONTROLLED:
        half = 1 << (steer.fraction_bits - 1)
        return (int(steer.limits[2]) * PPM + half) >> steer.fraction_bits
    return int(steer.outputs_ppm[0]) if steer.law == GIVEN else PPM
