package dev.tailc.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Time passes, and threads run, only where a test lets them. */
class CoreBinderTest {
  // One slow core and one fast core: requests climb at 37 ms.
  private static final Path ON_CORES = Path.of("../../examples/finance/expected.tailc");
  private static final Map<String, List<Integer>> PROCESSORS =
      Map.of("slow", List.of(3), "fast", List.of(9));

  private final Deque<Runnable> threads = new ArrayDeque<>();
  private final List<String> bindings = new ArrayList<>();
  private long nowNs;

  @BeforeEach
  void threadsHaveNumbersOnLinux() {
    assumeTrue(Files.exists(Path.of("/proc/thread-self")));
  }

  private Scheduler schedulerOn(CoreBinder binder) throws IOException {
    Policy policy = Policy.open(ON_CORES);
    CoreBinding binding = new CoreBinding(PROCESSORS, binder);
    return new Scheduler(() -> policy, unused -> {}, threads::add, () -> nowNs, binding);
  }

  @Test
  void threadsRunOnTheProcessorOfTheirCoreAndMoveAtAClimb() throws Exception {
    Scheduler scheduler =
        schedulerOn((thread, processor) -> bindings.add(thread + " to " + processor));
    Callable<List<String>> part =
        () -> {
          List<String> before = List.copyOf(bindings);
          nowNs = 37_000_000;
          scheduler.wake();
          return before;
        };
    CompletableFuture<List<List<String>>> served = scheduler.parallel(List.of(part));
    threads.remove().run();
    int thread = CoreBinding.thisThread();
    assertTrue(Files.exists(Path.of("/proc/self/task/" + thread)));
    assertEquals(List.of(List.of(thread + " to 3")), served.get());
    assertEquals(List.of(thread + " to 3", thread + " to 9"), bindings);
  }

  @Test
  void aRequestIsServedThoughItsThreadCannotBeBound() throws Exception {
    List<Throwable> uncaught = new ArrayList<>();
    Thread.currentThread().setUncaughtExceptionHandler((thread, why) -> uncaught.add(why));
    IllegalStateException why = new IllegalStateException("not permitted");
    Scheduler scheduler =
        schedulerOn(
            (thread, processor) -> {
              throw why;
            });
    CompletableFuture<List<Integer>> served = scheduler.parallel(List.of(() -> 7));
    threads.remove().run();
    Thread.currentThread().setUncaughtExceptionHandler(null);
    assertEquals(List.of(7), served.get());
    assertEquals(List.of(why), uncaught);
  }

  @Test
  void aPolicyWithoutItsProcessorsIsRefusedByName() throws IOException {
    Policy onCores = Policy.open(ON_CORES);
    CoreBinder binder = (thread, processor) -> {};
    assertRefused("`CoreBinder`", () -> new Scheduler(onCores, 2));
    assertRefused("`fast`", () -> new Scheduler(onCores, 2, Map.of("slow", List.of(0)), binder));
    assertRefused(
        "no core type",
        () -> new Scheduler(PolicyTest.opened("cores"), 2, PROCESSORS, binder));
    assertRefused(
        "are not cores",
        () -> new Scheduler(PolicyTest.opened("settings"), 2, PROCESSORS, binder));
  }

  private static void assertRefused(
      String word, org.junit.jupiter.api.function.Executable construction) {
    String why = assertThrows(ScheduleException.class, construction).getMessage();
    assertTrue(why.contains(word), why);
  }
}
