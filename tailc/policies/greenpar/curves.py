"""How jobs of a spec's applications speed up on its cluster: by machines, then by servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailc.errors import Code, Finding, TailcError
from tailc.policies.greenpar.cluster_spec import ClusterSpec
from tailc.policies.greenpar.speedups import Speedups
from tailc.units import counted


@dataclass(frozen=True)
class ClusterCurves:
    """The speed-ups of a spec. vms_a_server: machines for each server that a job asks for."""

    by_name: Mapping[str, Speedups]
    cluster: ClusterSpec
    vms_a_server: tuple[int, ...]

    def speedup_ppm(
        self, application: str, requested: int, servers: int
    ) -> dict[int, dict[int, int]]:
        """Of so many virtual machines, on so many servers, in millionths.

        Of a job that asks for so many servers, where there are so many. Raises TailcError where it
        has none on those with its fewest machines.
        """
        told = self.by_name[application]
        fewest = min(self.vms_a_server) * requested
        found = {}
        for vms in sorted({factor * requested for factor in self.vms_a_server}):
            if curve := told.of(vms, self._counts(vms, requested, servers)):
                found[vms] = curve
        if requested not in found.get(fewest, {}):
            raise _no_speedup(application, requested, fewest)
        return found

    def _counts(self, vms: int, requested: int, servers: int) -> list[int]:
        """Servers that so many machines of a job can be on."""
        cluster = self.cluster
        most = min(vms, servers)
        told = range(1, most + 1) if cluster.counts == "any" else cluster.counts
        return sorted({n for n in (*told, requested) if n <= most and vms <= cluster.most_vms * n})


def _no_speedup(application: str, requested: int, vms: int) -> TailcError:
    message = (
        f"`{application}` has no speed-up on {counted(requested, 'server')} with {vms} virtual "
        "machines, and there are jobs that ask for as many"
    )
    hint = "add it to the table, map widths to those that have one, or use a shape of ours"
    return TailcError(Finding(Code.MISSING_KEY, message, help=hint, about=("speedup", application)))
