package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

/** How long a job has run on a number of servers. */
public final class RanSeconds {
  public final long servers;
  public final long seconds;

  public RanSeconds(long servers, long seconds) {
    this.servers = servers;
    this.seconds = seconds;
    require(servers > 0 && seconds > 0,
        "`ran_s` must have at least one server and one second in each entry");
    require(PlanState.isWhole(servers), "numbers of a job must be at most 2^53 - 1");
    require(seconds <= PlanState.LATEST_UNIX_S, "`seconds` of `ran_s` must be at most 253402300799");
  }
}
