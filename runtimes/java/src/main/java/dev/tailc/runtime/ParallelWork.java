package dev.tailc.runtime;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;

/** The work of a request that begins and ends on one thread, such as a search in many shards. */
public interface ParallelWork<T, R> {
  /** Runs first, and returns the parts, which further threads may take. */
  Collection<? extends Callable<T>> begin() throws Exception;

  /**
   * Runs after all parts, on the thread of the last one; {@code results} in the order of ends. A
   * request that is cut off has those that ended; it may not even have begun.
   */
  R end(List<T> results) throws Exception;

  /** The results of parts that are known from the start. */
  static <T> ParallelWork<T, List<T>> of(Collection<? extends Callable<T>> parts) {
    return new KnownParts<>(parts);
  }
}
