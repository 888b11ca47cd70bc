package dev.tailc.runtime;

/** What a server-epoch that was promised to be green pays, and another, and what goes back. */
public final class Terms {
  public final long greenUdollars;
  public final long brownUdollars;
  public final long penaltyUdollars;

  Terms(dev.tailc.policy.Terms form) {
    greenUdollars = form.greenUdollars();
    brownUdollars = form.brownUdollars();
    penaltyUdollars = form.penaltyUdollars();
  }
}
