package dev.tailc.runtime;

import java.util.Optional;

/** In the system from its arrival to its exit, after which its {@link Schedule} uses it again. */
public final class Request {
  static final int NOT_STARTED = -1;
  static final long UNSET = -1;
  private static final long NS_PER_US = 1_000;

  // Made once, so that an arrival allocates nothing.
  final Optional<Request> present = Optional.of(this);

  long number;
  String requestClass;
  long arrivedNs;
  long workPpm;
  Schedule.Queue queue;
  long startedNs;
  long waitedUs;
  long loadAtStart;
  long tickNs;
  long cutNs;
  int rung;
  int core;
  // On its core since, and the time below the last rung that its core had when it started.
  long sinceNs;
  long spentNs;
  // Threads times time on earlier rungs, since when it has its rung, and by how much ticks were late.
  long grantedNs;
  long rungNs;
  long lateNs;
  boolean isBoosted;
  boolean hasGivenUp;

  Request() {}

  void arrive(
      long number, String requestClass, Schedule.Queue queue, long arrivedNs, long workPpm) {
    tickNs = cutNs = UNSET;
    rung = NOT_STARTED;
    core = CorePlaces.NOWHERE;
    isBoosted = hasGivenUp = false;
    grantedNs = lateNs = 0;
    this.number = number;
    this.requestClass = requestClass;
    this.queue = queue;
    this.arrivedNs = arrivedNs;
    this.workPpm = workPpm;
  }

  /** Counted from 1 in order of arrival, refused requests included. */
  public long number() {
    return number;
  }

  /** Millionths of its work to do. */
  public long workPpm() {
    return workPpm;
  }

  public boolean hasStarted() {
    return rung != NOT_STARTED;
  }

  /** Threads of its rung, 1 if the rung does not determine them, and 0 while it waits. */
  public int threads() {
    return hasStarted() ? (int) queue.ladder.settings().get(rung).threads.orElse(1) : 0;
  }

  /** Threads of its rungs times time [ns], until now. */
  long grantedUntil(long nowNs) {
    return grantedNs + (nowNs - rungNs) * threads();
  }

  /** Its times, if it exits now and its threads worked for {@code threadNs} in all. */
  public RequestTimes times(long nowNs, long threadNs) {
    long overdueNs = tickNs == UNSET ? 0 : Math.max(nowNs - tickNs, 0);
    return new RequestTimes(
        arrivedNs / NS_PER_US,
        (startedNs - arrivedNs) / NS_PER_US,
        (nowNs - startedNs) / NS_PER_US,
        threadNs / NS_PER_US,
        grantedUntil(nowNs) / NS_PER_US,
        (lateNs + overdueNs) / NS_PER_US);
  }
}
