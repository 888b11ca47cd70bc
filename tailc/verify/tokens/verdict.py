"""Verdict on a token-budget policy: percentiles, rulings and baselines at each rate."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.errors import ExitCode
from tailc.experiment.ruling import Ruling
from tailc.experiment.token_comparison import TokenPoint, worst_ruling
from tailc.specs.slo import Slo


@dataclass(frozen=True)
class TokenBaseline:
    """A baseline of a language model's server: its name, and a description (`about`)."""

    name: str
    about: str


@dataclass(frozen=True)
class TokenVerdicts:
    """Verdicts on a token-budget policy at each rate, and what they are based on."""

    policy_name: str
    generation: int
    held_out_digest: str
    held_out_requests: int
    is_compile_trace: bool
    seed: int
    replicates: int
    slos: tuple[Slo, ...]
    baselines: tuple[TokenBaseline, ...]
    points: tuple[TokenPoint, ...]

    @property
    def ruling(self) -> Ruling:
        """The worst ruling of all SLOs at all rates."""
        return worst_ruling(one for point in self.points for one in point.policy.rulings)

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the process: 0 all pass, 1 an SLO is missed, 4 undecided."""
        return {
            Ruling.PASS: ExitCode.OK,
            Ruling.FAIL: ExitCode.MISSED,
            Ruling.UNDECIDED: ExitCode.UNDECIDED,
        }[self.ruling]
