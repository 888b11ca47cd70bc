"""Least tail latency of a shared server: one reached with all sizes known, and a lower bound."""

from tailc.models.shared_cores.clairvoyant.bound import lower_bound_ns
from tailc.models.shared_cores.clairvoyant.server import SharedServer, shared_server
from tailc.models.shared_cores.clairvoyant.tail import clairvoyant_tail_ns

__all__ = ["SharedServer", "clairvoyant_tail_ns", "lower_bound_ns", "shared_server"]
