package dev.tailc.runtime;

import java.util.PriorityQueue;

/** Timers of requests, in order; a request may have dropped some, which are skipped. */
final class ScheduleTimers {
  /** At the same time cut-offs come before arrivals, and ends of delays before ticks. */
  enum Phase {
    CUT,
    START,
    TICK
  }

  /** A timer of a request. */
  static final class Timer implements Comparable<Timer> {
    final long dueNs;
    final Phase phase;
    final Request request;

    Timer(long dueNs, Phase phase, Request request) {
      this.dueNs = dueNs;
      this.phase = phase;
      this.request = request;
    }

    private boolean isSet() {
      return dueNs == (phase == Phase.CUT ? request.cutNs : request.tickNs);
    }

    @Override
    public int compareTo(Timer other) {
      if (dueNs != other.dueNs) {
        return Long.compare(dueNs, other.dueNs);
      }
      int byPhase = phase.compareTo(other.phase);
      return byPhase != 0 ? byPhase : Long.compare(request.number, other.request.number);
    }
  }

  private final PriorityQueue<Timer> timers = new PriorityQueue<>();

  void set(long dueNs, Phase phase, Request request) {
    timers.add(new Timer(dueNs, phase, request));
  }

  /** The first timer, or null. */
  Timer first() {
    while (!timers.isEmpty() && !timers.peek().isSet()) {
      timers.remove();
    }
    return timers.peek();
  }

  void removeFirst() {
    timers.remove();
  }
}
