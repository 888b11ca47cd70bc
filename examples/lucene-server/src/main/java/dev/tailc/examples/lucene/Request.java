package dev.tailc.examples.lucene;

import dev.tailc.runtime.Ladder;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A request from its arrival to its exit. Its threads take pieces of its work until none is left;
 * the one that does the last piece ends it. The scheduler's lock guards what is not atomic.
 */
final class Request {
  /** Of a request that runs on so many threads whatever the policy says; null: the policy decides. */
  final Integer fixedThreads;

  final Ladder ladder;
  final long arrivedNs;
  final Work work;
  final AtomicReference<Throwable> failure = new AtomicReference<>();

  long startedNs;
  int loadAtStart;
  long nextTickNs;
  Future<?> nextTick;
  // How many threads it may have, has, and has had at most.
  int degree;
  int threads;
  int mostThreads;
  boolean isOpen;

  /** When a second thread took its first piece; 0 if none has. */
  final AtomicLong joinedNs = new AtomicLong();

  /** What each of its threads has used. */
  final Queue<Used> used = new ConcurrentLinkedQueue<>();

  private final AtomicInteger taken = new AtomicInteger();
  private final AtomicInteger left = new AtomicInteger();
  private volatile int pieces;

  Request(Work work, Ladder ladder, Integer fixedThreads, long arrivedNs) {
    this.work = work;
    this.ladder = ladder;
    this.fixedThreads = fixedThreads;
    this.arrivedNs = arrivedNs;
  }

  /** Does what comes before the pieces; whether there are any. */
  boolean begin() {
    try {
      int found = work.begin();
      left.set(found);
      pieces = found;
      return found > 0;
    } catch (Throwable failed) {
      failure.set(failed);
      return false;
    }
  }

  boolean hasPieces() {
    return taken.get() < pieces;
  }

  /** Takes a piece and does it, if there is one; whether that was the last to be done. */
  boolean step() {
    int piece = taken.getAndIncrement();
    if (piece >= pieces) {
      return false;
    }
    try {
      // Of a request that has failed nothing more is worth doing.
      if (failure.get() == null) {
        work.piece(piece);
      }
    } catch (Throwable failed) {
      failure.compareAndSet(null, failed);
    }
    return left.decrementAndGet() == 0;
  }

  /** CPU time of its threads so far. */
  long cpuUs() {
    return used.stream().mapToLong(Used::cpuNs).sum() / 1_000;
  }

  long waitedUs(long nowNs) {
    return Math.max(0, nowNs - arrivedNs) / 1_000;
  }

  long waitedUs() {
    return waitedUs(startedNs);
  }

  /** How long it ran before a second thread joined; all the time if none did. */
  long beginUs(long nowNs) {
    long joined = joinedNs.get();
    return executedUs(joined == 0 ? nowNs : joined);
  }

  long executedUs(long nowNs) {
    return Math.max(0, nowNs - startedNs) / 1_000;
  }
}
