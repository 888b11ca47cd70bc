package dev.tailc.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The parts of one request, taken by as many threads as it has. */
final class ParallelTask<T> {
  final CompletableFuture<List<T>> future = new CompletableFuture<>();

  /** Threads that it may have; 0 when it must end. A scheduler sets it, and then calls grow. */
  volatile int allowed;

  private final Iterator<? extends Callable<T>> parts;
  private final Executor pool;
  private final Runnable exit;
  private final List<T> results = new ArrayList<>();
  private int active;
  private boolean isEnded;
  private Throwable failure;

  /** {@code exit}: called once, before the future completes. */
  ParallelTask(Collection<? extends Callable<T>> parts, Executor pool, Runnable exit) {
    this.parts = List.copyOf(parts).iterator();
    this.pool = pool;
    this.exit = exit;
  }

  /** Adds the threads that it does not use yet; ends it if it has none. */
  void grow() {
    int missing = 0;
    synchronized (this) {
      if (failure == null && parts.hasNext()) {
        missing = Math.max(allowed - active, 0);
        active += missing;
      }
    }
    for (int i = 0; i < missing; ++i) {
      pool.execute(this::work);
    }
    endIfDone();
  }

  private void work() {
    for (Callable<T> part = next(); part != null; part = next()) {
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

  /** The next part; null if this thread leaves. */
  private synchronized Callable<T> next() {
    if (failure != null || active > allowed || !parts.hasNext()) {
      --active;
      return null;
    }
    return parts.next();
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
    exit.run();
    if (failure == null) {
      future.complete(results);
    } else {
      future.completeExceptionally(failure);
    }
  }
}
