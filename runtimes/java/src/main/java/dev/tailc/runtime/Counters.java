package dev.tailc.runtime;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** What a server's metrics may want to know; any thread may read at any time. */
public final class Counters {
  private final AtomicLong outside = new AtomicLong();
  private final AtomicLong refusedReloads = new AtomicLong();
  private volatile Refusal lastRefusal;

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

  /** Why the last of them was; empty if none was, or that one could not be read. */
  public Optional<Refusal> lastRefusal() {
    return Optional.ofNullable(lastRefusal);
  }

  void countOutside() {
    outside.incrementAndGet();
  }

  /** {@code refusal}: null where the file could not be read. */
  void countRefused(Refusal refusal) {
    lastRefusal = refusal;
    refusedReloads.incrementAndGet();
  }
}
