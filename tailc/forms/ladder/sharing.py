"""Rules for shared resources that rows by load do not express: start-below and give-up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sharing:
    """Parameters of the rules start-below and give-up of a ladder; None without the rule.

    start_unit, start_below_ppm: the first waiting request starts as soon as all running requests
    together use less than that of the cost unit. give_up_us: from this age on a request is on the
    first rung and no longer boosted; it has missed the tail, so that the resources go to requests
    that have not.
    """

    start_unit: int | None = None
    start_below_ppm: int | None = None
    give_up_us: int | None = None

    def __post_init__(self) -> None:
        if (self.start_unit is None) != (self.start_below_ppm is None):
            raise ValueError(
                "`start_unit` and `start_below_ppm` must both be present or both be absent"
            )
        if self.start_unit is not None and self.start_unit < 0:
            raise ValueError("`start_unit` must not be negative")
        if self.start_below_ppm is not None and self.start_below_ppm < 1:
            raise ValueError("`start_below_ppm` must be at least 1")
        if self.give_up_us is not None and self.give_up_us < 1:
            raise ValueError("`give_up_us` must be at least 1")

    def gives_up(self, age_us: int) -> bool:
        """Whether a request of this age has given up, so that it is on the first rung.

        It moves there at its next tick.
        """
        return self.give_up_us is not None and age_us >= self.give_up_us


NO_SHARING = Sharing()
