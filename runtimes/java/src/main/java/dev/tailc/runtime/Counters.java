package dev.tailc.runtime;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** What a server's metrics may want to know; any thread may read at any time. */
public final class Counters {
  private static final String UNREADABLE = "unreadable";
  private static final String NO_SCHEDULE = "no-schedule";

  private final AtomicLong outside = new AtomicLong();
  private final AtomicLong refusedReloads = new AtomicLong();
  private volatile String lastRefusal;

  Counters() {}

  /**
   * Look-ups at a load that the policy was not compiled for, of a queue longer than its rows, or at
   * a moment outside its epochs.
   */
  public long outside() {
    return outside.get();
  }

  /** Policies that were refused in place of the one held, or could not be read. */
  public long refusedReloads() {
    return refusedReloads.get();
  }

  /** The word of the last one's refusal, or {@code unreadable}; empty if none was refused. */
  public Optional<String> lastRefusal() {
    return Optional.ofNullable(lastRefusal);
  }

  void countOutside() {
    outside.incrementAndGet();
  }

  void countRefused(Refusal refusal) {
    lastRefusal = refusal.word();
    refusedReloads.incrementAndGet();
  }

  void countNoSchedule() {
    lastRefusal = NO_SCHEDULE;
    refusedReloads.incrementAndGet();
  }

  void countUnreadable() {
    lastRefusal = UNREADABLE;
    refusedReloads.incrementAndGet();
  }
}
