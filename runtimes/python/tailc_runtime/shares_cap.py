"""Caps of machines whose throughput does not follow their share, step by step."""

from __future__ import annotations

import enum

from tailc_runtime.controller import PPM
from tailc_runtime.raw import RawShareCap, RawShares

MOST_CAP_STEPS = 1_000_000
LARGEST_HEADROOM_PPM = 10 * PPM


class Mode(enum.IntEnum):
    """State of a machine with respect to its cap."""

    FREE = 0
    TRIAL = 1
    CAPPED = 2
    PROBE = 3


class Cap:
    """Cap of one machine, and measurements for the next decision.

    ppm: requested share under the cap; the whole host while there is none.
    """

    def __init__(self, raw: RawShares, first_a: float, first_b: float) -> None:
        self._rule = raw.cap
        self._host_ppm, self._least_ppm = raw.host_ppm, raw.least_ppm
        self._settling = -(-raw.window_us // raw.step_us) - 1
        self._need = (1.0 - first_a) / first_b
        self._means = 0.0, 0.0
        self._begin(Mode.FREE, raw.host_ppm, 0)

    def _begin(self, mode: Mode, ppm: int, count: int) -> None:
        """Enter a mode; `count` of its steps are counted, below 0 while none is."""
        self.mode, self.ppm, self._count = mode, ppm, count
        self._levels, self._shares_ppm = 0.0, 0

    @property
    def is_tested(self) -> bool:
        """Whether the machine is in a trial, or settles after a test of its share."""
        return self.mode is Mode.TRIAL or self._count < 0

    def step(self, level: float, had_ppm: int, *, is_met: bool, is_short: bool) -> bool:
        """Process a step; returns whether a trial begins after a share of `had_ppm` gave `level`.

        is_met: whether the machine is at its target at this step and the last. is_short: whether it
        had too little share at the last step, and was below target.
        """
        rule = self._rule
        if rule is None:
            return False
        is_low = is_short and level < 1.0
        if is_met:
            self._begin(Mode.FREE, self._host_ppm, 0)
        elif self._count < 0:
            self._count += 1
        elif self.mode is Mode.FREE and not (
            is_low and had_ppm > self._with_headroom_ppm(rule, level)
        ):
            self._begin(Mode.FREE, self._host_ppm, 0)
        else:
            self._count += 1
            self._levels += level
            self._shares_ppm += had_ppm
            lasts = rule.probe_steps if self.mode is Mode.CAPPED else rule.steps
            return self._count >= lasts and self._decide(rule)
        return False

    def _decide(self, rule: RawShareCap) -> bool:
        """Enter the mode after the current one; returns whether it is a trial."""
        count, factor_ppm = self._count, PPM + rule.headroom_ppm
        level, share = self._levels / count, self._shares_ppm / (count * PPM)
        before, self._means = self._means, (level, share)
        target_ppm = self.requested_ppm(self._need)
        if self.mode is Mode.FREE:
            trial_ppm = self._shares_ppm * PPM // (count * factor_ppm)
            self._begin(Mode.TRIAL, max(trial_ppm, self._least_ppm), -self._settling)
            return True
        if self.mode is Mode.CAPPED:
            probe_ppm = max(self.ppm * factor_ppm // PPM, target_ppm * PPM // factor_ppm)
            self._begin(Mode.PROBE, min(probe_ppm, self._host_ppm), -self._settling)
            return False
        low, high = (
            (before, (level, share)) if self.mode is Mode.PROBE else ((level, share), before)
        )
        if _follows(*low, *high):
            self._begin(Mode.FREE, self._host_ppm, -rule.probe_steps)
        else:
            ppm = min(self._with_headroom_ppm(rule, level), target_ppm)
            self._begin(Mode.CAPPED, ppm, -self._settling)
        return False

    def _with_headroom_ppm(self, rule: RawShareCap, level: float) -> int:
        """Share that the first model needs for the level, plus the headroom."""
        factor = (PPM + rule.headroom_ppm) / PPM
        return self.requested_ppm(factor * (level * self._need))

    def requested_ppm(self, request: float) -> int:
        """A share cut to what one machine may have, in whole millionths rounded down."""
        ppm = request * PPM
        if ppm >= self._host_ppm:
            return self._host_ppm
        return int(ppm) if ppm > self._least_ppm else self._least_ppm


def _follows(low_level: float, low_share: float, high_level: float, high_share: float) -> bool:
    """Whether throughput changes by more than half of what is proportional to the share."""
    return low_level * high_share < high_level * (0.5 * (low_share + high_share))
