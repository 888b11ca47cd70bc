"""What changes settings in a replay: a controller, given outputs, a reactive rule or a look-up.

Reactive rules and look-ups exist only for core types. All except a look-up make a step once in
`epoch_requests` completions and measure a percentile of the last `window_requests` latencies (fewer
at the beginning). All measure the arrival rate since the last step. The percentile is in whole
microseconds, halves rounded up; the rate is in thousandths of a request per second, rounded down.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tailc.forms.controller import PPM, Actuator, Controller
from tailc.forms.ladder.table import Ladder
from tailc.models.execution_model import TailWindow
from tailc.models.outcome import NS_PER_US

UNSTEERED, CONTROLLED, GIVEN, REACTIVE, LOOKED_UP = range(5)
# Columns of `Steer.gains`.
FIRST_RATE, KP, KI, KD = range(4)
_GAIN_COLUMNS = 4
# Columns of `Steer.settings` after `FIRST_RATE`; the last columns are the cores of each unit.
SETTING_RUNG, SETTING_CORES = 1, 2
# Period of look-ups of a setting (Haque et al., MICRO 2017, section 5.5), and the fewest arrivals
# to measure a rate: its standard error is then a tenth.
LOOKUP_PERIOD_US = 5_000_000
LOOKUP_REQUESTS = 100


@dataclass(frozen=True, eq=False)
class OpenLoop:
    """Outputs that are given by epoch instead of computed: the last one holds forever.

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
class ReactiveRule:
    """A rule that moves one climb age after another by `s e / (s - 1)`.

    e is the measured tail less the target, and s the speed-up of the climb. While the tail is too
    long, the first age above 0 falls. While it is below the target, the last age below its initial
    value rises, and the very first without limit.

    Source: Haque, dissertation, Rutgers 2016, section 5.3.4, who leaves open how far each rises.
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
    """Setting of a server that a look-up by arrival rate selects.

    first_rate_mrps: lowest rate of the setting [1/1000 s]; it holds up to that of the next setting.
    rung: rung of every request. cores_on: number of cores of each type that are on.
    """

    first_rate_mrps: int
    rung: int
    cores_on: tuple[int, ...]


@dataclass(frozen=True)
class Lookup:
    """Rule that looks up the setting of a server for the arrival rate since the last step.

    It starts with the last setting. It makes a step at the first exit `period_us` after the last
    step, but not before `epoch_requests` have arrived since. Running requests move up to the new
    rung but not down.
    """

    settings: tuple[Setting, ...]
    epoch_requests: int = LOOKUP_REQUESTS
    period_us: int = LOOKUP_PERIOD_US

    def __post_init__(self) -> None:
        rates = [setting.first_rate_mrps for setting in self.settings]
        assert rates[0] == 0
        assert all(low < high for low, high in pairwise(rates))
        assert self.epoch_requests > 0 <= self.period_us


Steering: TypeAlias = Controller | OpenLoop | ReactiveRule | Lookup

# Epochs until a good controller has settled; docs/verdicts.md has measurements.
SETTLING_EPOCHS = 20
# The same for a bound: it moves a fortieth per epoch if the tail follows it by a fifth.
BOUND_SETTLING_EPOCHS = 100
# Defaults of a controller (Haque et al., MICRO 2017, section 5.4).
EPOCH_REQUESTS = 500
WINDOW_REQUESTS = 2_000


def settling(steering: Steering | None) -> int:
    """Number of requests until a controller has settled; 0 without a controller."""
    if steering is None:
        return 0
    if isinstance(steering, Lookup):
        return steering.epoch_requests
    scales_bound = isinstance(steering, Controller) and steering.acts_on is Actuator.LATENCY_BOUND
    epochs = BOUND_SETTLING_EPOCHS if scales_bound else SETTLING_EPOCHS
    return steering.window_requests + epochs * steering.epoch_requests


def window_of(steering: Steering | None) -> TailWindow:
    """Window of latencies over which a percentile is measured at run time.

    It is the controller's window, or a default without a controller.
    """
    if isinstance(steering, Controller):
        return TailWindow(steering.window_requests, steering.epoch_requests)
    return TailWindow(WINDOW_REQUESTS, EPOCH_REQUESTS)


class Steer(NamedTuple):
    """A control law as arrays for compiled code; fields that it does not need are 0 or empty.

    law: number of the law. epoch, window: number of requests in an epoch, and of latencies in the
    window. percentile_ppm, target_us: measured percentile and its target. fraction_bits:
    fixed-point bits of the output. limits: lowest, highest and first output in fixed point. gains:
    (rows, 4), first rate, kp, ki, kd. outputs_ppm: given outputs by epoch. climb_speed_ppm: (rungs,
    2), speeds before and after the climb to each rung. settings: (settings, 2 + units), first rate,
    rung, cores on of each unit. period_ns: shortest time between two look-ups.
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


def steering_arrays(steering: Steering | None, ladder: Ladder | None = None) -> Steer:
    """Convert what controls a policy to arrays; None: no controller.

    Only a reactive rule needs the ladder.
    """
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
        return _lookup_arrays(steering, steer)
    steer = steer._replace(
        epoch=steering.epoch_requests,
        window=steering.window_requests,
        percentile_ppm=steering.percentile_ppm,
    )
    match steering:
        case Controller():
            return _controller_arrays(steering, steer)
        case OpenLoop():
            return steer._replace(law=GIVEN, outputs_ppm=steering.outputs_ppm.astype(np.int64))
        case ReactiveRule():
            assert ladder is not None
            speeds = [rung.speed_ppm for rung in ladder.rungs]
            pairs = np.array([speeds[:1] + speeds[:-1], speeds], np.int64).T.copy()
            return steer._replace(law=REACTIVE, target_us=steering.target_us, climb_speed_ppm=pairs)


def _lookup_arrays(lookup: Lookup, steer: Steer) -> Steer:
    settings = [(one.first_rate_mrps, one.rung, *one.cores_on) for one in lookup.settings]
    return steer._replace(
        law=LOOKED_UP,
        epoch=lookup.epoch_requests,
        settings=np.array(settings, np.int64),
        period_ns=lookup.period_us * NS_PER_US,
    )


def _controller_arrays(controller: Controller, steer: Steer) -> Steer:
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
    """Output of the controller before its first step [1e-6]."""
    if steer.law == CONTROLLED:
        half = 1 << (steer.fraction_bits - 1)
        return (int(steer.limits[2]) * PPM + half) >> steer.fraction_bits
    return int(steer.outputs_ppm[0]) if steer.law == GIVEN else PPM
