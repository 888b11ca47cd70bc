package dev.tailc.runtime;

import java.util.Optional;

/** In the system from its arrival to its exit, after which its {@link Schedule} uses it again. */
public final class Request {
  static final int NOT_STARTED = -1;
  static final long UNSET = -1;

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
  boolean isBoosted;
  boolean hasGivenUp;

  Request() {}

  void arrive(
      long number, String requestClass, Schedule.Queue queue, long arrivedNs, long workPpm) {
    tickNs = cutNs = UNSET;
    rung = NOT_STARTED;
    core = CorePlaces.NOWHERE;
    isBoosted = hasGivenUp = false;
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
