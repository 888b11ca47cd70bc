"""Layout of the time integrals of a replay: a row for each phase, a column for each quantity."""

# Stands in for a request where a queue or a core has none.
NO_REQUEST = -1

# Phases of a replay: warm-up, first and second half of the measured requests, draining.
PHASES = 4
WARM_UP, FIRST_HALF, SECOND_HALF, DRAIN = range(PHASES)
# Columns of the integrals; threads and busy have one column for each pool.
SPAN, IN_SYSTEM, THREADS, BUSY = range(4)
POOL_COLUMNS = 2
