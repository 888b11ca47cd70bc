"""Parts of a plan: pools, epochs, jobs and their places, prices, and terms."""

from __future__ import annotations

from dataclasses import dataclass, field

PPM = 1_000_000
# With these limits a reader can multiply in 64 bits; the total worth is exact in doubles.
MOST_SERVERS = 2**20
MOST_EPOCHS = 2**14
LARGEST_UDOLLARS = 2**28
LARGEST_WORTH_UDOLLARS = 2**53 - 1
# The last second of the year 9999, the last year that calendars can print.
LATEST_UNIX_S = 253_402_300_799


def require(holds: bool, otherwise: str) -> None:
    """Raise ValueError with the message `otherwise` unless `holds` is true."""
    if not holds:
        raise ValueError(otherwise)


@dataclass(frozen=True)
class Pool:
    """A pool of interchangeable servers.

    busy_mw, asleep_mw: power of a server with a job and without. migration_mj: energy of moving the
    work of one server to another of this pool. racks: number of racks of equal size that hold the
    servers; None: the plan has no racks. Racks are numbered through all pools.
    """

    name: str
    servers: int
    busy_mw: int
    asleep_mw: int
    migration_mj: int
    racks: int | None = None

    def __post_init__(self) -> None:
        require(bool(self.name), "`name` of a pool must not be empty")
        require(self.servers > 0, "`servers` of a pool must be at least 1")
        require(0 <= self.asleep_mw <= self.busy_mw, "`asleep_mw` of a pool must be 0 to `busy_mw`")
        require(self.busy_mw > 0, "`busy_mw` of a pool must be at least 1")
        require(self.migration_mj >= 0, "`migration_mj` of a pool must not be negative")
        are_full = self.racks is None or (self.racks > 0 and self.servers % self.racks == 0)
        require(
            are_full, "`servers` of a pool must be a multiple of `racks`, which must be at least 1"
        )


@dataclass(frozen=True)
class Epoch:
    """The expected energy supply of one epoch.

    green_mw: mean green power. brown_udollars_per_kwh and brown_mg_per_kwh: price of brown energy
    in millionths of a dollar, negative only in a plan with `grid_mw`, and its CO2.
    first_green_pool: this pool and all after it are on the green bus; the number of pools if none
    is; None: there is one bus. battery_mj: energy charged into the battery in the epoch, negative
    if discharged; None: there is no battery.
    """

    green_mw: int
    brown_udollars_per_kwh: int
    brown_mg_per_kwh: int
    first_green_pool: int | None
    battery_mj: int | None = field(default=None, metadata={"since": 5})

    def __post_init__(self) -> None:
        require(self.green_mw >= 0, "`green_mw` must not be negative")
        require(self.brown_mg_per_kwh >= 0, "`brown_mg_per_kwh` must not be negative")


@dataclass(frozen=True)
class Span:
    """Some servers of one pool that a job has during successive epochs.

    pool: number of the pool. first_epoch, epochs: first epoch, and number of epochs. servers:
    number of servers.
    """

    pool: int
    first_epoch: int
    epochs: int
    servers: int

    def __post_init__(self) -> None:
        require(self.pool >= 0, "`pool` of a span must not be negative")
        require(self.first_epoch >= 0, "`first_epoch` of a span must not be negative")
        require(self.epochs > 0, "`epochs` of a span must be at least 1")
        require(self.servers > 0, "`servers` of a span must be at least 1")

    @property
    def past(self) -> int:
        """First epoch after a span of a planned job."""
        return self.first_epoch + self.epochs

    @property
    def epoch_slice(self) -> slice:
        """The epochs of a span of a planned job as a slice."""
        return slice(self.first_epoch, self.past)


@dataclass(frozen=True)
class PlannedJob:
    """A job that the plan admits, and its servers: number by epoch and pool.

    The spans of servers are sorted by epoch, then pool. green_slots: number of servers times epochs
    that are promised to run on green energy.
    """

    name: str
    spans: tuple[Span, ...]
    green_slots: int

    def __post_init__(self) -> None:
        require(bool(self.name), "`name` of a job must not be empty")
        require(bool(self.spans), "`spans` of a job must not be empty")
        order = [(span.first_epoch, span.pool) for span in self.spans]
        require(order == sorted(order), "`spans` must be in order of `first_epoch`, then of `pool`")
        require(self._has_disjoint_spans(), "spans of a job in one pool must not overlap")
        require(
            0 <= self.green_slots <= self.slots,
            "`green_slots` must be 0 to the number of server-epochs of the job",
        )

    @property
    def slots(self) -> int:
        """Number of server-epochs of the job in the plan."""
        return sum(span.servers * span.epochs for span in self.spans)

    def _has_disjoint_spans(self) -> bool:
        past: dict[int, int] = {}
        for span in self.spans:
            if span.first_epoch < past.get(span.pool, 0):
                return False
            past[span.pool] = span.past
        return True


@dataclass(frozen=True)
class PoolPrices:
    """The least that a job must pay for a server of a pool, by epoch [millionths of a dollar].

    It covers the server's value to later jobs and its brown energy.
    """

    udollars: tuple[int, ...]

    def __post_init__(self) -> None:
        require(min(self.udollars, default=0) >= 0, "`udollars` must not be negative")
        require(
            max(self.udollars, default=0) <= LARGEST_UDOLLARS, "`udollars` must be at most 2^28"
        )


@dataclass(frozen=True)
class Terms:
    """What a customer pays for a server in an epoch [1e-6 dollars].

    green_udollars: payment if the server is promised to run on green energy. brown_udollars:
    payment otherwise. penalty_udollars: amount that is paid back if a promised server does not run
    on green energy (Haque 2016, eq. A.2 to A.4).
    """

    green_udollars: int
    brown_udollars: int
    penalty_udollars: int

    def __post_init__(self) -> None:
        amounts = (self.green_udollars, self.brown_udollars, self.penalty_udollars)
        require(
            min(amounts) >= 0,
            "`green_udollars`, `brown_udollars` and `penalty_udollars` must not be negative",
        )
        require(
            max(amounts) <= LARGEST_UDOLLARS,
            "`green_udollars`, `brown_udollars` and `penalty_udollars` must be at most 2^28",
        )


@dataclass(frozen=True)
class Malleable:
    """Terms of malleable jobs, which may run on more servers and end sooner.

    delay_udollars: cost of each epoch until a job ends. slowdown_ppm: largest allowed ratio of a
    job's run time to that on the servers that it requests [1e-6].
    """

    delay_udollars: int
    slowdown_ppm: int

    def __post_init__(self) -> None:
        counts = 0 <= self.delay_udollars <= LARGEST_UDOLLARS
        require(counts, "`delay_udollars` must be 0 to 2^28")
        require(self.slowdown_ppm >= PPM, "`slowdown_ppm` must be at least 1,000,000")
