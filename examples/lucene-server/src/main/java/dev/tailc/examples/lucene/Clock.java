package dev.tailc.examples.lucene;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The time, and what is to happen later; tests have one that they move. */
interface Clock {
  long nowNs();

  /** Runs it at that time, unless what it returns is cancelled before. */
  Future<?> at(long timeNs, Runnable what);

  static Clock ofSystem() {
    ScheduledThreadPoolExecutor waiting = new ScheduledThreadPoolExecutor(1);
    waiting.setRemoveOnCancelPolicy(true);
    return new Clock() {
      @Override
      public long nowNs() {
        return System.nanoTime();
      }

      @Override
      public Future<?> at(long timeNs, Runnable what) {
        return waiting.schedule(what, timeNs - nowNs(), TimeUnit.NANOSECONDS);
      }
    };
  }
}
