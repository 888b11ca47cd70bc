package dev.tailc.runtime;

/** When a request arrived and how it ran, in microseconds of the scheduler's clock. */
public final class RequestTimes {
  public final long arrivalUs;
  public final long waitUs;
  public final long runUs;

  /** For which its threads worked, in all. */
  public final long threadUs;

  /** Threads of its rungs times time. */
  public final long grantedUs;

  /** By how much its ticks were late, in all. */
  public final long lateUs;

  public RequestTimes(
      long arrivalUs, long waitUs, long runUs, long threadUs, long grantedUs, long lateUs) {
    this.arrivalUs = arrivalUs;
    this.waitUs = waitUs;
    this.runUs = runUs;
    this.threadUs = threadUs;
    this.grantedUs = grantedUs;
    this.lateUs = lateUs;
  }
}
