package dev.tailc.runtime;

/** Boosted requests cost less than {@code belowPpm} in all, in cost unit number {@code unit}. */
public final class Boost {
  public final int unit;
  public final long belowPpm;

  Boost(int unit, long belowPpm) {
    this.unit = unit;
    this.belowPpm = belowPpm;
  }
}
