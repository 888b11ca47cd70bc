"""The last latencies of a server, and the step of a controller at the end of each epoch."""

from __future__ import annotations

from collections import deque

from tailc_runtime.controller import PPM, Controller

_NS_PER_US = 1_000
_MRPS_US = 10**9


class LatencyWindow:
    """Counts arrivals and completions, and steps the controller once per epoch."""

    def __init__(self, controller: Controller, now_ns: int) -> None:
        self._controller = controller
        self._latencies_us: deque[int] = deque(maxlen=controller.window_requests)
        self._completed = self._arrived = 0
        self._stepped_ns = now_ns

    def count_arrival(self) -> None:
        """Count a request that enters the system."""
        self._arrived += 1

    def count_exit(self, latency_ns: int, now_ns: int) -> None:
        """Count a completion; the last one of an epoch steps the controller."""
        self._latencies_us.append((latency_ns + _NS_PER_US // 2) // _NS_PER_US)
        self._completed += 1
        if self._completed % self._controller.epoch_requests == 0:
            passed_us = max((now_ns - self._stepped_ns) // _NS_PER_US, 1)
            self._controller.step(self._tail_us(), self._arrived * _MRPS_US // passed_us)
            self._arrived, self._stepped_ns = 0, now_ns

    def _tail_us(self) -> int:
        rank = -(-self._controller.percentile_ppm * len(self._latencies_us) // PPM)
        return sorted(self._latencies_us)[rank - 1]
