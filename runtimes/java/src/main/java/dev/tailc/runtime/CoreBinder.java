package dev.tailc.runtime;

/** Binds threads to processors, which Java can do only with native code of the server's choice. */
@FunctionalInterface
public interface CoreBinder {
  /**
   * Binds a thread of this process. A thread that works for a request is bound before each of its
   * requests and at each climb, by whichever thread handles the climb.
   *
   * @param thread its number in Linux, as in {@code /proc/self/task}
   * @param processor its number, from 0
   */
  void bind(int thread, int processor);
}
