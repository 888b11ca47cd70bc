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

  private final Map<String, long[]> lookups = new TreeMap<>();

  /** Look-ups by name of the rung. */
  public Map<String, Long> lookups() {
    Map<String, Long> found = new TreeMap<>();
    lookups.forEach((rung, count) -> found.put(rung, count[0]));
    return found;
  }

  /** The count of look-ups of a rung, its only element. */
  long[] lookupsOf(String rung) {
    return lookups.computeIfAbsent(rung, unused -> new long[1]);
  }
}
