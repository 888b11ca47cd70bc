package dev.tailc.runtime;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class AllocationTest {
  private static final int CALLS = 10_000;
  // What the measurement itself may take; one byte a call would be more.
  private static final long SLACK_BYTES = 4_096;

  private static final ThreadMXBean THREADS =
      (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private interface LookUp {
    void at(long number);
  }

  private static void assertAllocatesNothing(LookUp lookUp) {
    long thread = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 3; ++round) {
      long before = THREADS.getThreadAllocatedBytes(thread);
      for (int i = 0; i < CALLS; ++i) {
        lookUp.at(i);
      }
      least = Math.min(least, THREADS.getThreadAllocatedBytes(thread) - before);
    }
    assertTrue(least < SLACK_BYTES, least + " bytes in " + CALLS + " calls");
  }

  @Test
  void lookingUpInALadderAllocatesNothing() throws IOException {
    Ladder ladder = PolicyTest.opened("controller").ladder();
    Answer answer = new Answer();
    assertAllocatesNothing(i -> ladder.lookup(i % 100, i, 7 * i, answer));
    assertAllocatesNothing(i -> ladder.rung(i % 100, 0, 7 * i));
  }

  @Test
  void steppingAControllerAllocatesNothing() throws IOException {
    Controller controller = PolicyTest.opened("controller").controller().orElseThrow();
    assertAllocatesNothing(i -> controller.step(250_000 + i, 10_000));
  }

  @Test
  void startsTicksAndExitsAllocateNothing() throws IOException {
    Schedule schedule = new Schedule(PolicyTest.opened("settings"), 0);
    long quantumNs = 5_000_000;
    assertAllocatesNothing(
        i -> {
          // Rounds begin again, but time goes on.
          long nowNs = schedule.counts().exits * quantumNs;
          Request request = schedule.arrive(nowNs, null).orElseThrow();
          schedule.wake(nowNs + quantumNs);
          schedule.exit(request, nowNs + quantumNs);
          schedule.takeDecisions();
        });
  }

  @Test
  void lookingUpABudgetAllocatesNothing() throws IOException {
    BudgetTable table = PolicyTest.opened("budgets").budgetTable();
    Budget budget = new Budget();
    assertAllocatesNothing(i -> table.lookup(i % 100, 7 * i, budget));
  }

  @Test
  void lookingUpInATailTableAllocatesNothing() throws IOException {
    TailTable table = PolicyTest.opened("tails").tailTable();
    long[] agesNs = {350_000, 120_000};
    assertAllocatesNothing(i -> table.frequencyKhz(agesNs, 2, 100 * i, i));
  }
}
