package dev.tailc.runtime;

import java.util.Map;
import java.util.TreeMap;

/** Counts since a schedule was made; to be read by its caller. */
public final class ScheduleCounts {
  public long arrived;
  public long refused;
  public long degraded;
  public long started;
  public long waited;
  public long climbs;
  public long descents;
  public long boosts;
  public long gaveUp;
  public long cutOff;
  public long exits;
  public long reloads;
  public long ticks;

  /** By how much ticks were late, in all. */
  public long lateNs;

  /** By name of the rung that was looked up. */
  public final Map<String, Long> lookups = new TreeMap<>();
}
