package dev.tailc.runtime;

import java.util.Arrays;

/** The last latencies of a server, and the step of a controller at each end of an epoch. */
final class LatencyWindow {
  private static final long NS_PER_US = 1_000;
  private static final long MRPS_US = 1_000_000_000;

  private final Controller controller;
  private final long[] latenciesUs;
  private final long[] sorted;
  private long completed;
  private long arrived;
  private long steppedNs;

  LatencyWindow(Controller controller, long nowNs) {
    this.controller = controller;
    latenciesUs = new long[(int) controller.windowRequests()];
    sorted = new long[latenciesUs.length];
    steppedNs = nowNs;
  }

  void countArrival() {
    ++arrived;
  }

  void countExit(long latencyNs, long nowNs) {
    latenciesUs[(int) (completed % latenciesUs.length)] = (latencyNs + NS_PER_US / 2) / NS_PER_US;
    ++completed;
    if (completed % controller.epochRequests() == 0) {
      long passedUs = Math.max((nowNs - steppedNs) / NS_PER_US, 1);
      controller.step(tailUs(), arrived * MRPS_US / passedUs);
      arrived = 0;
      steppedNs = nowNs;
    }
  }

  private long tailUs() {
    int count = (int) Math.min(completed, latenciesUs.length);
    System.arraycopy(latenciesUs, 0, sorted, 0, count);
    Arrays.sort(sorted, 0, count);
    long rank = (controller.percentilePpm() * count + Controller.PPM - 1) / Controller.PPM;
    return sorted[(int) rank - 1];
  }
}
