package dev.tailc.runtime;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.Callable;

/**
 * {@code Serving POLICY KEY LOG} runs three requests of two parts, each of which uses 3 ms of its
 * thread, with a log, and prints the metrics.
 */
final class Serving {
  private Serving() {}

  public static void main(String[] arguments) throws Exception {
    String key = arguments[1];
    Options options = key.isEmpty() ? Options.none() : Options.none().trusting(key);
    Policy policy = Policy.open(Path.of(arguments[0]), options);
    String metrics;
    try (DemandLog log = DemandLog.openWithTimes(Path.of(arguments[2]), 1)) {
      Scheduler scheduler = new Scheduler(policy, 2).logTo(log);
      Callable<Boolean> part = Serving::use3Ms;
      for (int i = 0; i < 3; ++i) {
        scheduler.parallel(Collections.nCopies(2, part)).get();
      }
      metrics = scheduler.metrics();
      scheduler.close();
    }
    System.out.print(metrics);
  }

  private static boolean use3Ms() throws IOException {
    long endNs = threadNs() + 3_000_000;
    while (threadNs() < endNs) {
      Thread.onSpinWait();
    }
    return true;
  }

  private static long threadNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
