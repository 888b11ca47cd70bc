"""The least tail of a shared server if all demands are known: one that is attained, and a bound."""

from tailc.models.shared_cores.clairvoyant.bound import lower_bound_ns
from tailc.models.shared_cores.clairvoyant.server import SharedServer, shared_server
from tailc.models.shared_cores.clairvoyant.tail import clairvoyant_tail_ns

__all__ = ["SharedServer", "clairvoyant_tail_ns", "lower_bound_ns", "shared_server"]
