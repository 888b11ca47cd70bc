package dev.tailc.runtime;

/** What an epoch of a malleable job costs, and how much longer it may take. */
public final class Malleable {
  public final long delayUdollars;
  public final long slowdownPpm;

  Malleable(dev.tailc.policy.Malleable form) {
    delayUdollars = form.delayUdollars();
    slowdownPpm = form.slowdownPpm();
  }
}
