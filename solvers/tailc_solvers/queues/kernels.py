"""The inner loop of the bound: one request of a queue after another, from the last to the first."""

from tailc_solvers.loops import plain_loops


@plain_loops
def most_stretch(service, stretch, gap, limit, price, ahead, gain, window):
    """Fill `ahead` [K + 1]: the most that all requests from the first on can be stretched, less
    `price` for each that is late, by how long the first waits; waits beyond K count as K.

    service, stretch, gap: (requests,), in cells; `gap` is the time to the next arrival. `gain` and
    `window` are room for K + 1 + the longest stretch.
    """
    longest = len(ahead) - 1
    ahead[:] = 0
    for request in range(len(service) - 1, -1, -1):
        own, most, until = service[request], stretch[request], gap[request]
        # By wait and stretch together: what is stretched from here on, and the wait on top.
        for both in range(longest + most + 1):
            latency = both + own
            wait = min(max(latency - until, 0), longest)
            gain[both] = both + ahead[wait] - (price if latency > limit else 0)
        _best_ahead(gain, most, ahead, window)


@plain_loops
def _best_ahead(gain, most, ahead, window):
    """ahead[w] = max of gain[w .. w + most] - w, for every w; `window` is a queue of places whose
    gains fall.
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
