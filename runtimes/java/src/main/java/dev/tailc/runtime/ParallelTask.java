package dev.tailc.runtime;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The parts of one request, taken by as many threads as it has. */
final class ParallelTask<T, R> {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  final CompletableFuture<R> future = new CompletableFuture<>();

  /** Whether its processor time is measured. */
  final boolean isMeasured;

  /** Threads that it may have; 0 when it must end. A scheduler sets it, and then calls grow. */
  volatile int allowed;

  final BoundThreads threads;

  private final ParallelWork<T, R> work;
  private final Executor pool;
  private final Runnable exit;
  private long usedNs;
  private long workedNs;
  private final List<T> results = new ArrayList<>();
  // Null until the work has begun, on its first thread.
  private Iterator<? extends Callable<T>> parts;
  private boolean isBegun;
  private int active;
  private boolean isEnded;
  private Throwable failure;

  /**
   * A request that has not started.
   *
   * @param exit called once, before the future completes
   * @param isMeasured whether to measure its processor time
   * @param binder binds its threads; may be null
   */
  ParallelTask(
      ParallelWork<T, R> work,
      Executor pool,
      Runnable exit,
      boolean isMeasured,
      CoreBinder binder) {
    this.threads = new BoundThreads(binder);
    this.isMeasured = isMeasured;
    this.work = work;
    this.pool = pool;
    this.exit = exit;
    if (work instanceof KnownParts) {
      isBegun = true;
      parts = ((KnownParts<T>) work).begin().iterator();
    }
  }

  /** Moves its threads, and adds those that it does not use yet; ends it if it has none. */
  void grow() {
    threads.move();
    int missing = 0;
    synchronized (this) {
      if (failure == null && hasParts()) {
        missing = Math.max((isBegun ? allowed : Math.min(allowed, 1)) - active, 0);
        active += missing;
      }
    }
    for (int i = 0; i < missing; ++i) {
      pool.execute(() -> threads.run(this::run));
    }
    endIfDone();
  }

  /** Whether a thread has something to do; the guard is this. */
  private boolean hasParts() {
    return parts == null ? !isBegun : parts.hasNext();
  }

  /** Processor time of its threads [ns], once it has exited. */
  long usedNs() {
    return usedNs;
  }

  /** The time for which its threads worked [ns], in all, once it exits. */
  long workedNs() {
    return workedNs;
  }

  boolean hasFailed() {
    return failure != null;
  }

  private void run() {
    long beforeNs = isMeasured ? THREADS.getCurrentThreadCpuTime() : 0;
    long begunNs = isMeasured ? System.nanoTime() : 0;
    try {
      begin();
    } catch (Throwable thrown) {
      fail(thrown);
    }
    for (Callable<T> part = next(beforeNs, begunNs);
        part != null;
        part = next(beforeNs, begunNs)) {
      try {
        T result = part.call();
        synchronized (this) {
          results.add(result);
        }
      } catch (Throwable thrown) {
        fail(thrown);
      }
    }
    endIfDone();
  }

  /** Begins the work on its first thread, unless it must end; then further threads join. */
  private void begin() throws Exception {
    synchronized (this) {
      if (isBegun || allowed == 0) {
        return;
      }
      isBegun = true;
    }
    Iterator<? extends Callable<T>> begun = work.begin().iterator();
    synchronized (this) {
      parts = begun;
    }
    grow();
  }

  /** The next part; null if this thread leaves, which began at this processor time and time. */
  private synchronized Callable<T> next(long beforeNs, long begunNs) {
    if (failure != null || active > allowed || parts == null || !parts.hasNext()) {
      --active;
      count(beforeNs, begunNs);
      return null;
    }
    return parts.next();
  }

  /** Counts the times of this thread since it began; the guard is this. */
  private void count(long beforeNs, long begunNs) {
    if (isMeasured) {
      usedNs += THREADS.getCurrentThreadCpuTime() - beforeNs;
      workedNs += System.nanoTime() - begunNs;
    }
  }

  private synchronized void fail(Throwable thrown) {
    failure = failure == null ? thrown : failure;
  }

  private void endIfDone() {
    synchronized (this) {
      if (active > 0 || isEnded) {
        return;
      }
      isEnded = true;
    }
    R result = null;
    long beforeNs = isMeasured ? THREADS.getCurrentThreadCpuTime() : 0;
    long begunNs = isMeasured ? System.nanoTime() : 0;
    try {
      result = failure == null ? work.end(results) : null;
    } catch (Throwable thrown) {
      fail(thrown);
    }
    synchronized (this) {
      count(beforeNs, begunNs);
    }
    exit.run();
    if (failure == null) {
      future.complete(result);
    } else {
      future.completeExceptionally(failure);
    }
  }
}
