package dev.tailc.runtime;

/** Where a look-up writes its answer; to be used again and again, by one thread at a time. */
public final class Answer {
  Start start = Start.NOW;
  int rung;
  long waitUs;

  /** Of a request that has not started. */
  public Start start() {
    return start;
  }

  /** How long a request that has not started is to wait; 0 unless {@code start} is WAIT. */
  public long waitUs() {
    return waitUs;
  }

  /** Where a request of that age runs: a number of {@link Ladder#rungs}. */
  public int rung() {
    return rung;
  }
}
