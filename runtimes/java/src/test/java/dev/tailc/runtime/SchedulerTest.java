package dev.tailc.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Time passes, and threads run, only where a test lets them, except in the first test. */
class SchedulerTest {
  private static final long NS_PER_MS = 1_000_000;

  private final Deque<Runnable> threads = new ArrayDeque<>();
  private final List<Policy> reloaded = new ArrayList<>();
  private Policy policy = policyOf("settings");
  private long nowNs;
  private final Scheduler scheduler =
      new Scheduler(() -> policy, reloaded::add, threads::add, () -> nowNs, CoreBinding.NONE);

  private static Policy policyOf(String name) {
    try {
      return Policy.open(Path.of("../../schemas/vectors/v1/" + name + ".tailc"));
    } catch (IOException missing) {
      throw new AssertionError(missing);
    }
  }

  private static List<Callable<Integer>> parts(int count) {
    return Collections.nCopies(count, () -> 7);
  }

  private void runThreads() {
    while (!threads.isEmpty()) {
      threads.remove().run();
    }
  }

  @Test
  void theFourThreadsOfALoneRequestMeet() throws Exception {
    Scheduler real = new Scheduler(policy, 4);
    try (real) {
      CountDownLatch meeting = new CountDownLatch(4);
      Callable<Integer> part =
          () -> {
            meeting.countDown();
            meeting.await();
            return 1;
          };
      assertEquals(List.of(1, 1, 1, 1), real.parallel(Collections.nCopies(4, part)).get());
      assertEquals("done", real.submit(() -> "done").get());
    }
    // A submitted task is done a moment before its request exits.
    assertTrue(real.metrics().contains("tailc_exits_total 2\n"));
  }

  @Test
  void aRequestGetsMoreThreadsAsItClimbs() throws Exception {
    for (int i = 0; i < 9; ++i) {
      scheduler.parallel(parts(1));
    }
    threads.clear();
    CompletableFuture<List<Integer>> tenth = scheduler.parallel(parts(5));
    assertEquals(1, threads.size());
    nowNs = 25 * NS_PER_MS;
    scheduler.wake();
    assertEquals(2, threads.size());
    runThreads();
    assertEquals(List.of(7, 7, 7, 7, 7), tenth.get());
  }

  @Test
  void timesHaveThreadsOfAllRungsAndLateTicks() {
    Schedule schedule = new Schedule(policy, 0);
    for (int i = 0; i < 9; ++i) {
      schedule.arrive(0, null);
    }
    Request last = schedule.arrive(0, null).orElseThrow();
    while (schedule.dueNs().getAsLong() <= 27 * NS_PER_MS) {
      schedule.wake(27 * NS_PER_MS);
    }
    RequestTimes times = last.times(31 * NS_PER_MS, 33 * NS_PER_MS);
    assertEquals(31_000, times.runUs);
    assertEquals(33_000, times.threadUs);
    assertEquals(35_000, times.grantedUs, "one thread until 27 ms, and then two");
    assertEquals(23_000, times.lateUs, "one tick was late by 22 ms, and one is due");
  }

  @Test
  void looksAtWaitingRequestsAreNotCountedAsOutside() {
    Schedule schedule = new Schedule(policy, 0);
    for (int i = 0; i < 30; ++i) {
      schedule.arrive(0, null);
    }
    assertEquals(0, policy.counters().outside());
    while (schedule.dueNs().getAsLong() <= 20 * NS_PER_MS) {
      schedule.wake(schedule.dueNs().getAsLong());
    }
    assertEquals(13 * 4, policy.counters().outside(), "13 requests run, each has four ticks");
  }

  @Test
  void aRequestWaitsUntilItsDelayIsOver() {
    for (int i = 0; i < 13; ++i) {
      scheduler.parallel(parts(1));
    }
    int before = threads.size();
    scheduler.parallel(parts(1));
    assertEquals(before, threads.size());
    nowNs = 10 * NS_PER_MS;
    scheduler.wake();
    assertTrue(threads.size() > before);
    assertTrue(scheduler.metrics().contains("tailc_waits_total 1\n"));
  }

  @Test
  void aLogHasOnlyRequestsThatArriveAfterIt(@TempDir Path folder) throws Exception {
    Path path = folder.resolve("demand.csv");
    scheduler.parallel(parts(1));
    try (DemandLog log = DemandLog.open(path, 1)) {
      scheduler.logTo(log);
      runThreads();
      scheduler.parallel(parts(1));
      runThreads();
    }
    assertEquals(2, Files.readAllLines(path).size(), "the header, and the second request");
  }

  @Test
  void aRefusedRequestIsRejected() {
    policy = policyOf("overload");
    scheduler.wake();
    assertEquals(List.of(policy), reloaded);
    Overload overload = policy.ladder().overload();
    for (long others = 0; !overload.refuses(others); ++others) {
      scheduler.parallel(parts(1));
    }
    assertThrows(RejectedExecutionException.class, () -> scheduler.execute(() -> {}));
    assertTrue(scheduler.parallel(parts(1)).isCompletedExceptionally());
    runThreads();
    scheduler.execute(() -> {});
  }

  @Test
  void aRequestThatIsCutOffHasWhatItHas() throws Exception {
    policy = policyOf("overload");
    CompletableFuture<List<Integer>> cut = scheduler.parallel(parts(3));
    nowNs = 3_600_000 * NS_PER_MS;
    scheduler.wake();
    runThreads();
    assertEquals(List.of(), cut.get());
    assertTrue(scheduler.metrics().contains("tailc_cut_offs_total 1\n"));
  }

  @Test
  void aSubmittedTaskThatIsCutOffBeforeItRunsIsCancelled() {
    policy = policyOf("overload");
    Future<Integer> cut = scheduler.submit(() -> 7);
    nowNs = 3_600_000 * NS_PER_MS;
    scheduler.wake();
    runThreads();
    assertTrue(cut.isCancelled());
  }

  @Test
  void whatAnExecutedTaskThrowsIsPassedOn() {
    List<Throwable> uncaught = new ArrayList<>();
    Thread.currentThread().setUncaughtExceptionHandler((thread, why) -> uncaught.add(why));
    RuntimeException wrong = new RejectedExecutionException("another pool is full");
    scheduler.execute(
        () -> {
          throw wrong;
        });
    runThreads();
    Thread.currentThread().setUncaughtExceptionHandler(null);
    assertEquals(List.of(wrong), uncaught);
  }

  @Test
  void theThreadsEndAfterAShutdown() throws Exception {
    Scheduler real = new Scheduler(policy, 1);
    CompletableFuture<Thread> worker = new CompletableFuture<>();
    real.execute(() -> worker.complete(Thread.currentThread()));
    real.shutdown();
    worker.get().join(30_000);
    assertFalse(worker.get().isAlive());
    assertTrue(real.isTerminated());
  }

  @Test
  void whatAPartThrowsEndsTheRequest() {
    Callable<Integer> fails =
        () -> {
          throw new IOException("no such document");
        };
    CompletableFuture<List<Integer>> failed = scheduler.parallel(Collections.nCopies(9, fails));
    runThreads();
    ExecutionException why = assertThrows(ExecutionException.class, failed::get);
    assertEquals("no such document", why.getCause().getMessage());
    assertEquals(List.of(), scheduler.parallel(parts(0)).join());
    assertTrue(scheduler.metrics().contains("tailc_in_system 0\n"));
  }

  /** Two parts, which are there after its beginning; its end sums their results. */
  private static ParallelWork<Integer, Integer> twoParts(Callable<List<Callable<Integer>>> begin) {
    return new ParallelWork<>() {
      @Override
      public List<Callable<Integer>> begin() throws Exception {
        return begin.call();
      }

      @Override
      public Integer end(List<Integer> results) {
        return results.stream().mapToInt(Integer::intValue).sum();
      }
    };
  }

  @Test
  void workBeginsOnOneThreadAndEndsBeforeItsRequestExits() throws Exception {
    CompletableFuture<Integer> sum =
        scheduler.parallel(
            null,
            twoParts(
                () -> {
                  assertEquals(0, threads.size());
                  return List.of(
                      () -> threads.size(), () -> scheduler.metrics().contains("exits_total 0") ? 10 : 0);
                }));
    assertEquals(1, threads.size());
    threads.remove().run();
    // While the first part ran, the three other threads of a request that is alone waited.
    assertEquals(3, threads.size());
    assertFalse(sum.isDone());
    runThreads();
    assertEquals(13, sum.get());
    assertTrue(scheduler.metrics().contains("tailc_exits_total 1\n"));
  }

  @Test
  void workWhoseBeginningFailsHasNoParts() {
    CompletableFuture<Integer> failed =
        scheduler.parallel(
            null,
            twoParts(
                () -> {
                  throw new IOException("no such words");
                }));
    runThreads();
    ExecutionException why = assertThrows(ExecutionException.class, failed::get);
    assertEquals("no such words", why.getCause().getMessage());
    assertTrue(scheduler.metrics().contains("tailc_in_system 0\n"));
  }

  @Test
  void workThatIsCutOffBeforeItsBeginningEndsWithoutResults() throws Exception {
    policy = policyOf("overload");
    CompletableFuture<Integer> cut = scheduler.parallel(null, twoParts(List::of));
    nowNs = 3_600_000 * NS_PER_MS;
    scheduler.wake();
    runThreads();
    assertEquals(0, cut.get());
  }

  @Test
  void aPolicyThatNeedsAnotherServerIsNotUsed() {
    assertThrows(ScheduleException.class, () -> new Schedule(policyOf("rate"), 0));
    policy = policyOf("cores");
    CompletableFuture<List<Integer>> served = scheduler.parallel(parts(1));
    runThreads();
    assertEquals(List.of(7), served.join());
    assertEquals("no-schedule", policy.counters().lastRefusal().orElse(""));
    assertTrue(reloaded.isEmpty());
  }

  @Test
  void aCallbackThatThrowsDoesNotKeepARequestInTheSystem() {
    List<Throwable> uncaught = new ArrayList<>();
    Thread.currentThread().setUncaughtExceptionHandler((thread, why) -> uncaught.add(why));
    RuntimeException wrong = new PolicyException(Refusal.OTHER_FORM, "no such gauge");
    Scheduler throwing =
        new Scheduler(
            () -> policy,
            unused -> {
              throw wrong;
            },
            threads::add,
            () -> nowNs,
            CoreBinding.NONE);
    CompletableFuture<List<Integer>> served = throwing.parallel(parts(1));
    policy = policyOf("lucene");
    runThreads();
    Thread.currentThread().setUncaughtExceptionHandler(null);
    assertEquals(List.of(7), served.join());
    assertEquals(List.of(wrong), uncaught);
    assertEquals(0, policy.counters().refusedReloads());
    assertTrue(throwing.metrics().contains("tailc_reloads_total 1\n"));
  }

  @Test
  void aSchedulerThatIsShutDownTakesNoMore() {
    scheduler.shutdown();
    assertTrue(scheduler.isTerminated());
    RejectedExecutionException why =
        assertThrows(RejectedExecutionException.class, () -> scheduler.execute(() -> {}));
    assertEquals("the scheduler is shut down", why.getMessage());
  }
}
