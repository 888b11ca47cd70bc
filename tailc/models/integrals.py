"""How replays lay out their integrals over time: a row a phase, a column a quantity."""

# No request, in a queue or on a core.
NOBODY = -1

# Phases of a replay: warming up, first and second half of what is measured, draining.
PHASES = 4
WARM_UP, FIRST_HALF, SECOND_HALF, DRAIN = range(PHASES)
# Columns of the integrals; threads and busy stand once for each pool.
SPAN, IN_SYSTEM, THREADS, BUSY = range(4)
POOL_COLUMNS = 2
