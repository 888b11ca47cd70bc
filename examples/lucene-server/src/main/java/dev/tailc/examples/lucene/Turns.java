package dev.tailc.examples.lucene;

/**
 * Threads that share a core take turns of a millisecond, which end between two parts. Under priority
 * for real time the system would let a thread run until it has nothing to do.
 */
final class Turns {
  private static final long TURN_NS = 1_000_000;
  private static final ThreadLocal<long[]> BEGUN_NS = ThreadLocal.withInitial(() -> new long[1]);

  private Turns() {}

  /** Ends the turn of this thread if it is over. */
  static void end() {
    long[] begunNs = BEGUN_NS.get();
    if (System.nanoTime() - begunNs[0] >= TURN_NS) {
      Thread.yield();
      begunNs[0] = System.nanoTime();
    }
  }
}
