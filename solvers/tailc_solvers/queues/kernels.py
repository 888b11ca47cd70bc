"""The inner loop of the stretch bound: a recursion over a queue's requests, from the last one."""

from tailc_solvers.loops import inner_loops, plain_loops


@plain_loops
def most_stretch(service, stretch, gap, limit, price, ahead, gain, window):
    """Compute the largest total stretch of a queue by the wait of its first request.

    The stretch of a request is how much longer it is served. Each late request costs `price`. The
    result is written to `ahead` by wait, 0 to K; longer waits count as K [K + 1].

    service, stretch, gap: service time, largest stretch, and time to the next arrival of each
    request, in cells (requests,). limit: latency above which a request is late, in cells. gain,
    window: buffers of length K + 1 + the longest stretch.
    """
    longest = len(ahead) - 1
    ahead[:] = 0
    for request in range(len(service) - 1, -1, -1):
        own, most, until = service[request], stretch[request], gap[request]
        # By wait plus stretch: the total stretch from here on, plus the wait.
        for both in range(longest + most + 1):
            latency = both + own
            wait = min(max(latency - until, 0), longest)
            gain[both] = both + ahead[wait] - (price if latency > limit else 0)
        _best_ahead(gain, most, ahead, window)


@inner_loops
def _best_ahead(gain, most, ahead, window):
    """ahead[w] = max of gain[w .. w + most] - w, for every w.

    `window` is a queue of places with decreasing gains.
    """
    head, tail, place = 0, 0, 0
    for wait in range(len(ahead)):
        while place <= wait + most:
            while tail > head and gain[window[tail - 1]] <= gain[place]:
                tail -= 1
            window[tail] = place
            tail += 1
            place += 1
        if window[head] < wait:
            head += 1
        ahead[wait] = gain[window[head]] - wait
