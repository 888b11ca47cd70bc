"""Sort and sum demands by radix sort, because sorting takes longer than the rest of the solution.

Sorting is by digits, the least significant first, over the bits of the numbers (Knuth, The Art of
Computer Programming, volume 3, section 5.2.5, algorithm R): the bits of positive floats are in the
order of the floats. For some thousands of demands it takes a third of the time of a comparison
sort, for any initial order.
"""

from tailc_solvers.loops import inner_loops, plain_loops

_DIGIT_BITS = 8
DIGITS, RADIX = 64 // _DIGIT_BITS, 1 << _DIGIT_BITS


@plain_loops
def sort_bits(bits, other, counts):
    """Sort nonnegative integers by radix.

    Return whether the sorted ones are in `other`, not `bits`.

    counts: scratch space [DIGITS, RADIX]. A digit that all numbers share is skipped.
    """
    _count_digits(bits, counts)
    source, target, is_in_other = bits, other, False
    for digit in range(DIGITS):
        if counts[digit, _digit(bits[0], digit)] == bits.shape[0]:
            continue
        _move_by_digit(source, target, counts[digit], digit)
        source, target = target, source
        is_in_other = not is_in_other
    return is_in_other


@inner_loops
def _digit(value, digit):
    return (value >> (_DIGIT_BITS * digit)) & (RADIX - 1)


@inner_loops
def _count_digits(bits, counts):
    counts[:] = 0
    for i in range(bits.shape[0]):
        for digit in range(DIGITS):
            counts[digit, _digit(bits[i], digit)] += 1


@inner_loops
def _move_by_digit(source, target, counts, digit):
    """Sort the numbers by one digit; `counts` becomes the end of each value."""
    begin = 0
    for value in range(RADIX):
        begin, counts[value] = begin + counts[value], begin
    for i in range(source.shape[0]):
        value = _digit(source[i], digit)
        target[counts[value]] = source[i]
        counts[value] += 1


@plain_loops
def fill_steps(demand, weight, rank, work, sums, running):
    """Fill the arrays of DemandSteps from demands in ascending order.

    Returns the entry of the request with the rank `rank`, weights counted.
    """
    total = 0
    for i in range(weight.shape[0]):
        total += weight[i]
    work[0], sums[0], running[0] = 0.0, 0.0, 1.0
    entry, upto, done = 0, 0, 0.0
    for i in range(demand.shape[0]):
        own = demand[i] * weight[i]
        done += own
        left = float(total - upto)
        work[i + 1] = demand[i]
        sums[i + 1] = ((done - own) + demand[i] * left) / total
        running[i + 1] = left / total
        upto += weight[i]
        if entry == 0 and upto >= rank:
            entry = i + 1
    return entry
