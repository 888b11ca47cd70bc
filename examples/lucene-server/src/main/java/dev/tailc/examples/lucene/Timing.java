package dev.tailc.examples.lucene;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** When a request arrived, began and had a second thread, its threads, and their CPU time. */
final class Timing {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final LongAdder ALL_CPU_NS = new LongAdder();

  private final long arrivedNs = System.nanoTime();
  private final AtomicLong begunNs = new AtomicLong();
  private final AtomicLong joinedNs = new AtomicLong();
  private final LongAdder cpuNs = new LongAdder();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  /** The CPU time of all requests. */
  static long allCpuNs() {
    return ALL_CPU_NS.sum();
  }

  /** Does a part of the request. */
  <T> T measured(Callable<T> part) throws Exception {
    long beforeNs = THREADS.getCurrentThreadCpuTime();
    if (threads.add(Thread.currentThread())) {
      (threads.size() == 1 ? begunNs : joinedNs).compareAndSet(0, System.nanoTime());
    }
    try {
      return part.call();
    } finally {
      long usedNs = THREADS.getCurrentThreadCpuTime() - beforeNs;
      cpuNs.add(usedNs);
      ALL_CPU_NS.add(usedNs);
    }
  }

  /** As the header {@code Server-Timing}; all parts have ended. */
  String header() {
    long nowNs = System.nanoTime();
    long joined = joinedNs.get() == 0 ? nowNs : joinedNs.get();
    return String.format(
        Locale.ROOT,
        "wait;dur=%.3f, run;dur=%.3f, threads;desc=%d, begin;dur=%.3f, cpu;dur=%.3f",
        (begunNs.get() - arrivedNs) / 1e6,
        (nowNs - begunNs.get()) / 1e6,
        threads.size(),
        (joined - begunNs.get()) / 1e6,
        cpuNs.sum() / 1e6);
  }
}
