package dev.tailc.runtime;

import java.util.Arrays;

/**
 * Timers of requests, in order: a binary heap in arrays, which allocates only while it grows. A request
 * may have dropped some, or be used again; those are skipped.
 */
final class ScheduleTimers {
  /** At the same time cut-offs come before arrivals, and ends of delays before ticks. */
  static final int CUT = 0;

  static final int START = 1;
  static final int TICK = 2;

  private long[] dueNs = new long[16];
  private int[] phases = new int[16];
  private long[] numbers = new long[16];
  private Request[] requests = new Request[16];
  private int count;

  void set(long atNs, int phase, Request request) {
    if (count == dueNs.length) {
      dueNs = Arrays.copyOf(dueNs, 2 * count);
      phases = Arrays.copyOf(phases, 2 * count);
      numbers = Arrays.copyOf(numbers, 2 * count);
      requests = Arrays.copyOf(requests, 2 * count);
    }
    put(count, atNs, phase, request.number, request);
    int at = count++;
    while (at > 0 && isBefore(at, (at - 1) / 2)) {
      swap(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
  }

  /** Whether there is a timer; drops those that their requests no longer have. */
  boolean isSet() {
    while (count > 0 && !isHeld()) {
      removeFirst();
    }
    return count > 0;
  }

  private boolean isHeld() {
    Request request = requests[0];
    long heldNs = phases[0] == CUT ? request.cutNs : request.tickNs;
    return request.number == numbers[0] && heldNs == dueNs[0];
  }

  /** Time, phase and request of the first timer, if there is one. */
  long firstNs() {
    return dueNs[0];
  }

  int firstPhase() {
    return phases[0];
  }

  Request firstRequest() {
    return requests[0];
  }

  void removeFirst() {
    --count;
    put(0, dueNs[count], phases[count], numbers[count], requests[count]);
    requests[count] = null;
    int at = 0;
    for (int child = 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count && isBefore(child + 1, child)) {
        ++child;
      }
      if (!isBefore(child, at)) {
        return;
      }
      swap(child, at);
      at = child;
    }
  }

  private void put(int at, long atNs, int phase, long number, Request request) {
    dueNs[at] = atNs;
    phases[at] = phase;
    numbers[at] = number;
    requests[at] = request;
  }

  private boolean isBefore(int one, int other) {
    if (dueNs[one] != dueNs[other]) {
      return dueNs[one] < dueNs[other];
    }
    if (phases[one] != phases[other]) {
      return phases[one] < phases[other];
    }
    return numbers[one] < numbers[other];
  }

  private void swap(int one, int other) {
    long atNs = dueNs[one];
    int phase = phases[one];
    long number = numbers[one];
    Request request = requests[one];
    put(one, dueNs[other], phases[other], numbers[other], requests[other]);
    put(other, atNs, phase, number, request);
  }
}
