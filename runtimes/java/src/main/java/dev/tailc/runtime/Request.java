package dev.tailc.runtime;

/** A request in the system, from its arrival to its exit. A {@link Schedule} changes it. */
public final class Request {
  static final int NOT_STARTED = -1;
  static final long UNSET = -1;

  final long number;
  final String requestClass;
  final long arrivedNs;
  final long workPpm;
  Schedule.Queue queue;
  long startedNs;
  long waitedUs;
  long loadAtStart;
  long tickNs = UNSET;
  long cutNs = UNSET;
  int rung = NOT_STARTED;
  int core = CorePlaces.NOWHERE;
  // On its core since, and the time below the last rung that its core had when it started.
  long sinceNs;
  long spentNs;
  boolean isBoosted;
  boolean hasGivenUp;

  Request(
      long number, String requestClass, Schedule.Queue queue, long arrivedNs, long workPpm) {
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
}
