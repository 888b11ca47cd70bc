package dev.tailc.examples.lucene;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The CPU time that a thread uses for a request, from when it is made until the thread leaves. */
final class Used {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final long thread = Thread.currentThread().getId();
  private final long beforeNs = THREADS.getCurrentThreadCpuTime();
  private volatile long afterNs;

  /** The thread leaves; afterwards it may do something else. */
  void end() {
    afterNs = THREADS.getCurrentThreadCpuTime();
  }

  /** Any thread may ask, also before the thread has left. */
  long cpuNs() {
    long nowNs = afterNs == 0 ? THREADS.getThreadCpuTime(thread) : afterNs;
    return nowNs - beforeNs;
  }
}
