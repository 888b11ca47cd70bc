package dev.tailc.runtime;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;

/** Parts that are known from the start, so that all threads of the request begin at once. */
final class KnownParts<T> implements ParallelWork<T, List<T>> {
  private final List<Callable<T>> parts;

  KnownParts(Collection<? extends Callable<T>> parts) {
    this.parts = List.copyOf(parts);
  }

  @Override
  public List<Callable<T>> begin() {
    return parts;
  }

  @Override
  public List<T> end(List<T> results) {
    return results;
  }
}
