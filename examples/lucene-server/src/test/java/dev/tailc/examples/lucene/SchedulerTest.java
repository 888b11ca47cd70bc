package dev.tailc.examples.lucene;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tailc.runtime.Ladder;
import dev.tailc.runtime.Policy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/**
 * Requests of a policy with a quantum of 2 ms: of one in the system, at once on 2 threads; of two, at
 * once on 1 thread, and 2 from 5 ms; of three, after 4 ms; of four and more, at an exit.
 *
 * <p>Time passes only where a test lets it, and a thread runs only when a test has it run.
 */
class SchedulerTest {
  private static final int PIECES = 10;
  private static final long NS_PER_MS = 1_000_000;

  private final PassedTime time = new PassedTime();
  private final Deque<Runnable> threads = new ArrayDeque<>();
  // When threads were asked for.
  private final List<Long> askedMs = new ArrayList<>();
  private final List<String> begun = new ArrayList<>();
  private final List<String> ended = new ArrayList<>();
  private final Scheduler scheduler = new Scheduler(this::ask, time);
  private final Ladder ladder;

  SchedulerTest() throws IOException {
    ladder = Policy.open(Path.of(System.getProperty("tailc.policy"))).ladder();
  }

  @Test
  void aRequestStartsAtOnceOnAsManyThreadsAsItsRowSays() {
    arrive("a");
    assertEquals(List.of(0L), askedMs);
    runThread();
    assertEquals(List.of(0L, 0L), askedMs);
    assertEquals(List.of("a"), ended);
  }

  @Test
  void aRequestWaitsUntilItsDelayIsOver() {
    arrive("a");
    arrive("b");
    arrive("c");
    time.passMs(3);
    assertEquals(List.of(0L, 0L), askedMs);
    time.passMs(1);
    assertEquals(List.of(0L, 0L, 4L), askedMs);
  }

  @Test
  void aRequestThatWaitsForAnExitStartsAtOne() {
    arriveAndStart("a", "b", "c");
    arrive("d");
    time.passMs(1_000);
    assertEquals(3, threads.size());
    runThread();
    assertEquals(List.of("a"), ended);
    runAll();
    assertEquals(List.of("a", "b", "c", "d"), begun);
  }

  @Test
  void thoseThatWaitStartInOrderOfArrival() {
    arriveAndStart("a", "b", "c");
    arrive("d");
    arrive("e");
    arrive("f");
    runAll();
    assertEquals(List.of("a", "b", "c", "d", "e", "f"), begun);
    assertEquals(0, scheduler.inSystem());
    assertEquals(6, scheduler.left());
  }

  @Test
  void threadsAreAddedAtTheFirstQuantumAfterTheirAge() {
    arrive("a");
    arrive("b", () -> time.passMs(1));
    threads.remove();
    askedMs.clear();
    runThread();
    assertEquals(List.of(6L), askedMs);
  }

  @Test
  void aRequestKeepsItsThreadsWhenOthersArrive() {
    List<Request> others = new ArrayList<>();
    Runnable piece =
        () -> {
          if (others.isEmpty()) {
            others.add(arrive("b"));
          }
          time.passMs(1);
        };
    Request first = arrive("a", piece);
    runThread();
    // With one thread too many its first one would have left, and the rest of it to the other.
    assertEquals(List.of("a"), ended);
    assertEquals(2, first.mostThreads);
    assertEquals(1, others.get(0).mostThreads);
  }

  @Test
  void aRequestThatAsksForThreadsHasThemWhateverThePolicySays() {
    arriveAndStart("a", "b", "c");
    Request fixed = new Request(work("d", () -> {}), ladder, 3, time.nowNs());
    scheduler.arrive(fixed);
    assertEquals(4, threads.size());
    threads.removeLast().run();
    assertEquals(3, fixed.mostThreads);
    assertTrue(ended.contains("d"));
  }

  /** Three that are in the system and have started; none of their threads has run. */
  private void arriveAndStart(String... names) {
    for (String name : names) {
      arrive(name);
    }
    time.passMs(4);
  }

  private Request arrive(String name) {
    return arrive(name, () -> {});
  }

  private Request arrive(String name, Runnable piece) {
    Request request = new Request(work(name, piece), ladder, null, time.nowNs());
    scheduler.arrive(request);
    return request;
  }

  private Work work(String name, Runnable piece) {
    return new Work() {
      @Override
      public int begin() {
        begun.add(name);
        return PIECES;
      }

      @Override
      public void piece(int number) {
        piece.run();
      }

      @Override
      public void end(Request request, Throwable failure) {
        ended.add(name);
      }
    };
  }

  private void ask(Runnable part) {
    askedMs.add(time.nowNs() / NS_PER_MS);
    threads.add(part);
  }

  private void runThread() {
    threads.remove().run();
  }

  private void runAll() {
    while (!threads.isEmpty()) {
      runThread();
    }
  }

  /** Passes when it is told to; what is due happens in between. */
  private static final class PassedTime implements Clock {
    private record Due(long timeNs, FutureTask<Void> task) {}

    private final PriorityQueue<Due> later =
        new PriorityQueue<>(Comparator.comparingLong(Due::timeNs));
    private long nowNs;

    @Override
    public long nowNs() {
      return nowNs;
    }

    @Override
    public Future<?> at(long timeNs, Runnable what) {
      FutureTask<Void> task = new FutureTask<>(what, null);
      later.add(new Due(timeNs, task));
      return task;
    }

    void passMs(long ms) {
      long endNs = nowNs + NS_PER_MS * ms;
      while (!later.isEmpty() && later.peek().timeNs() <= endNs) {
        Due due = later.remove();
        nowNs = due.timeNs();
        // One that was cancelled does nothing.
        due.task().run();
      }
      nowNs = endNs;
    }
  }
}
