package dev.tailc.examples.lucene;

import dev.tailc.runtime.Answer;
import dev.tailc.runtime.Ladder;
import dev.tailc.runtime.LoadAxis;
import dev.tailc.runtime.Rule;
import dev.tailc.runtime.RungSetting;
import dev.tailc.runtime.Start;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/**
 * Starts requests and gives them threads as their ladder says: when they arrive, when others leave,
 * and once a quantum from each one's own start.
 */
final class Scheduler {
  private static final Set<Rule> KEPT =
      EnumSet.of(Rule.REREAD_ROW, Rule.NEVER_DESCEND, Rule.AGE_FROM_ARRIVAL);

  // Under priority for real time a turn would last until a thread has nothing to do.
  private static final long TURN_NS = 1_000_000;

  private final Executor threads;
  private final Clock clock;
  private final Deque<Request> waiting = new ArrayDeque<>();
  private final Answer answer = new Answer();
  private final LongAdder cpuNs = new LongAdder();
  private Future<?> endOfWait;
  private int inSystem;
  private int running;
  private long left;

  /** {@code threads}: runs what it is given at once. */
  Scheduler(Executor threads, Clock clock) {
    this.threads = threads;
    this.clock = clock;
  }

  /** Refuses a ladder that asks for what is not done here. */
  static void check(Ladder ladder) {
    if (ladder.loadAxis() != LoadAxis.IN_SYSTEM) {
      throw new UsageException("the policy's load is not the requests in the system");
    }
    for (Rule rule : ladder.rules()) {
      if (!KEPT.contains(rule)) {
        throw new UsageException("the policy's rule `" + rule.word() + "` is not kept here");
      }
    }
    ladder.settings().forEach(Scheduler::threadsOf);
  }

  synchronized void arrive(Request request) {
    ++inSystem;
    if (request.fixedThreads != null) {
      start(request, clock.nowNs());
      return;
    }
    waiting.add(request);
    startWaiting();
  }

  synchronized int inSystem() {
    return inSystem;
  }

  synchronized long left() {
    return left;
  }

  /** What the threads of requests have used, in all. */
  long cpuNs() {
    return cpuNs.sum();
  }

  /** Starts those that may, in order of arrival, and looks again when the first one's wait ends. */
  private void startWaiting() {
    if (endOfWait != null) {
      endOfWait.cancel(false);
      endOfWait = null;
    }
    long nowNs = clock.nowNs();
    while (!waiting.isEmpty()) {
      Request first = waiting.peek();
      first.ladder.lookup(inSystem, first.waitedUs(nowNs), 0, answer);
      // Nobody would leave for one that waits for an exit while nothing runs.
      boolean isLeftAlone = answer.start() == Start.ON_EXIT && running == 0;
      if (answer.start() != Start.NOW && !isLeftAlone) {
        break;
      }
      start(waiting.remove(), nowNs);
    }
    if (!waiting.isEmpty() && answer.start() == Start.WAIT) {
      endOfWait = clock.at(nowNs + 1_000 * answer.waitUs(), this::waitEnds);
    }
  }

  private synchronized void waitEnds() {
    startWaiting();
  }

  private void start(Request request, long nowNs) {
    ++running;
    request.startedNs = nowNs;
    request.loadAtStart = inSystem;
    if (request.fixedThreads != null) {
      request.degree = request.fixedThreads;
    } else {
      raise(request, nowNs);
      request.nextTickNs = nowNs;
      scheduleTick(request);
    }
    request.threads = request.mostThreads = 1;
    execute(request, () -> first(request));
  }

  private void scheduleTick(Request request) {
    request.nextTickNs += 1_000 * request.ladder.quantumUs();
    request.nextTick = clock.at(request.nextTickNs, () -> tick(request));
  }

  private synchronized void tick(Request request) {
    // It may have left while this waited for the lock.
    if (request.nextTick != null) {
      raise(request, clock.nowNs());
      addThreads(request);
      scheduleTick(request);
    }
  }

  /** Sets how many threads the request may have now. */
  private void raise(Request request, long nowNs) {
    Ladder ladder = request.ladder;
    List<Rule> rules = ladder.rules();
    int load = rules.contains(Rule.REREAD_ROW) ? inSystem : request.loadAtStart;
    int rung = ladder.rung(load, request.waitedUs(), request.executedUs(nowNs));
    int wanted = threadsOf(ladder.settings().get(rung));
    boolean stays = rules.contains(Rule.NEVER_DESCEND);
    request.degree = stays ? Math.max(request.degree, wanted) : wanted;
  }

  private void addThreads(Request request) {
    while (request.isOpen && request.threads < request.degree && request.hasPieces()) {
      ++request.threads;
      request.mostThreads = Math.max(request.mostThreads, request.threads);
      execute(request, () -> join(request));
    }
  }

  private void execute(Request request, Runnable part) {
    threads.execute(
        () -> {
          Used used = new Used();
          request.used.add(used);
          part.run();
          used.end();
          cpuNs.add(used.cpuNs());
        });
  }

  private void join(Request request) {
    request.joinedNs.compareAndSet(0, clock.nowNs());
    takePieces(request);
  }

  private void first(Request request) {
    if (!request.begin()) {
      end(request);
      return;
    }
    open(request);
    takePieces(request);
  }

  private synchronized void open(Request request) {
    request.isOpen = true;
    addThreads(request);
  }

  private void takePieces(Request request) {
    long turnNs = clock.nowNs();
    boolean wasLast = request.step();
    while (!wasLast && !mayLeave(request)) {
      turnNs = endTurn(turnNs);
      wasLast = request.step();
    }
    if (wasLast) {
      end(request);
    }
  }

  /** Lets threads that wait for a core have it after a turn; when the turn that goes on began. */
  private long endTurn(long turnNs) {
    if (clock.nowNs() - turnNs < TURN_NS) {
      return turnNs;
    }
    Thread.yield();
    return clock.nowNs();
  }

  /** Whether the thread that asks goes: nothing is left to take, or the request has too many. */
  private synchronized boolean mayLeave(Request request) {
    boolean leaves = !request.hasPieces() || request.threads > request.degree;
    if (leaves) {
      --request.threads;
    }
    return leaves;
  }

  private void end(Request request) {
    try {
      request.work.end(request, request.failure.get());
    } finally {
      exit(request);
    }
  }

  /** One leaves, so the first that waits starts, whatever its row says. */
  private synchronized void exit(Request request) {
    if (request.nextTick != null) {
      request.nextTick.cancel(false);
      request.nextTick = null;
    }
    ++left;
    --inSystem;
    --running;
    if (!waiting.isEmpty()) {
      start(waiting.remove(), clock.nowNs());
    }
    startWaiting();
  }

  private static int threadsOf(RungSetting rung) {
    return (int)
        rung.threads.orElseThrow(
            () -> new UsageException("rung `" + rung.name + "` states no number of threads"));
  }
}
