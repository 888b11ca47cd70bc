package dev.tailc.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state machine of a server: admission, ticks and rules of a policy whose load is the number in
 * the system. It has no clock, lock or thread; docs/scheduler.md defines the calls. For one thread.
 */
public final class Schedule {
  private static final long NS_PER_US = 1_000;

  /** The waiting requests of a ladder, in order of arrival. */
  static final class Queue {
    final Ladder ladder;
    // Null: of requests without a ladder of their own, and: no boosting.
    final String requestClass;
    final Boost boost;
    final Deque<Request> waiting = new ArrayDeque<>();
    final boolean rereads;
    final boolean neverDescends;
    final boolean countsUse;
    final boolean makesRoom;
    final boolean agesFromArrival;
    final boolean waitedStartLast;
    final boolean agesByCore;
    // By rung, see ScheduleCounts.
    private final long[][] lookups;

    Queue(Ladder ladder, ScheduleCounts counts) {
      this.ladder = ladder;
      requestClass = ladder.requestClass().orElse(null);
      boost = ladder.boost().orElse(null);
      lookups = ladder.rungs().stream().map(counts::lookupsOf).toArray(long[][]::new);
      rereads = ladder.rules().contains(Rule.REREAD_ROW);
      neverDescends = ladder.rules().contains(Rule.NEVER_DESCEND);
      countsUse = ladder.sharing().startUnit().isPresent();
      makesRoom = ladder.rules().contains(Rule.MAKE_ROOM);
      agesFromArrival = ladder.rules().contains(Rule.AGE_FROM_ARRIVAL);
      waitedStartLast = ladder.rules().contains(Rule.WAITED_START_LAST);
      agesByCore = ladder.rules().contains(Rule.BUSY_PERIOD_AGE);
    }
  }

  private final ScheduleCounts counts = new ScheduleCounts();
  private final ScheduleTimers timers = new ScheduleTimers();
  private final Answer answer = new Answer();
  private final Deque<Request> free = new ArrayDeque<>();
  private Decisions decisions = new Decisions();
  private Decisions taken = new Decisions();
  private Policy policy;
  // By ladder of the policy; an array, because iterators allocate.
  private Queue[] queues;
  private LatencyWindow window;
  // Null unless rungs are cores.
  private CoreRequests onCores;
  private long startNs = Request.UNSET;
  private long inSystem;
  private long running;
  private long boostedPpm;
  private long usedPpm;

  /**
   * A schedule without requests.
   *
   * @throws ScheduleException for a policy that needs another server
   * @throws PolicyException OTHER_FORM
   */
  public Schedule(Policy policy, long nowNs) {
    use(policy, nowNs);
  }

  public ScheduleCounts counts() {
    return counts;
  }

  /** Requests in the system, waiting ones included. */
  public long inSystem() {
    return inSystem;
  }

  /** Requests that have started. */
  public long running() {
    return running;
  }

  Policy policy() {
    return policy;
  }

  /** The time of the next timer; empty: there is none. */
  public OptionalLong dueNs() {
    if (!timers.isSet()) {
      return startNs == Request.UNSET ? OptionalLong.empty() : OptionalLong.of(startNs);
    }
    return OptionalLong.of(isStartFirst() ? startNs : timers.firstNs());
  }

  /** What the server must do, since this was called last; the list holds until the next call. */
  public List<Decision> takeDecisions() {
    Decisions made = decisions;
    decisions = taken;
    decisions.clear();
    taken = made;
    return made;
  }

  /**
   * The request that arrived; empty: it is refused.
   *
   * @param requestClass null for one without a ladder of its own
   * @throws PolicyException UNKNOWN_CLASS
   */
  public Optional<Request> arrive(long nowNs, String requestClass) {
    Queue queue = queueOf(policy, queues, requestClass);
    ++counts.arrived;
    Overload overload = queue.ladder.overload();
    if (overload.refuses(inSystem)) {
      ++counts.refused;
      return Optional.empty();
    }
    long workPpm = overload.workPpm(inSystem);
    counts.degraded += workPpm < Controller.PPM ? 1 : 0;
    Request request = free.isEmpty() ? new Request() : free.pop();
    request.arrive(counts.arrived, requestClass, queue, nowNs, workPpm);
    ++inSystem;
    if (window != null) {
      window.countArrival();
    }
    queue.waiting.add(request);
    startWaiting(nowNs);
    return request.present;
  }

  /** The request left; one that waited leaves no room for another. */
  public void exit(Request request, long nowNs) {
    --inSystem;
    ++counts.exits;
    if (request.hasStarted()) {
      --running;
      countUse(request, -1);
      request.tickNs = request.cutNs = Request.UNSET;
      if (window != null) {
        window.countExit(nowNs - request.arrivedNs, nowNs);
      }
      if (onCores == null) {
        release(nowNs);
      } else {
        onCores.exit(request, nowNs);
      }
    } else {
      request.queue.waiting.remove(request);
    }
    free.push(request);
    startWaiting(nowNs);
  }

  /** Handles the first due timer, if it is due. */
  public void wake(long nowNs) {
    if (!timers.isSet() || isStartFirst()) {
      if (startNs != Request.UNSET && startNs <= nowNs) {
        startWaiting(nowNs);
      }
      return;
    }
    if (timers.firstNs() > nowNs) {
      return;
    }
    int phase = timers.firstPhase();
    Request request = timers.firstRequest();
    timers.removeFirst();
    if (phase == ScheduleTimers.CUT) {
      request.tickNs = request.cutNs = Request.UNSET;
      ++counts.cutOff;
      decide(Decision.Kind.CUT_OFF, request);
      return;
    }
    tick(request, nowNs);
    if (request.queue.countsUse) {
      startWaiting(nowNs);
    }
  }

  /**
   * Uses another policy for waiting and new requests; after an exception the old one is in use.
   *
   * @throws ScheduleException for a policy that needs another server
   * @throws PolicyException OTHER_FORM, UNKNOWN_CLASS
   */
  public void reload(Policy policy, long nowNs) {
    List<Request> waiting = new ArrayList<>();
    for (Queue queue : queues) {
      waiting.addAll(queue.waiting);
    }
    waiting.sort(Comparator.comparingLong(request -> request.number));
    Queue[] replacing = queuesOf(policy);
    waiting.forEach(request -> queueOf(policy, replacing, request.requestClass));
    use(policy, nowNs);
    ++counts.reloads;
    for (Request request : waiting) {
      request.queue = queueOf(policy, queues, request.requestClass);
      request.queue.waiting.add(request);
    }
    startWaiting(nowNs);
  }

  private void use(Policy policy, long nowNs) {
    Queue[] replacing = queuesOf(policy);
    useCores(policy.ladders());
    queues = replacing;
    this.policy = policy;
    window = policy.controller().map(held -> new LatencyWindow(held, nowNs)).orElse(null);
  }

  private Queue[] queuesOf(Policy policy) {
    List<Queue> found = new ArrayList<>();
    for (Ladder ladder : policy.ladders()) {
      if (ladder.loadAxis() != LoadAxis.IN_SYSTEM) {
        throw new ScheduleException("the load of the policy is not the number in the system");
      }
      found.add(new Queue(ladder, counts));
    }
    return found.toArray(new Queue[0]);
  }

  /** Takes the cores of a policy; while requests run, they must be those of the policy before. */
  private void useCores(List<Ladder> ladders) {
    CoreRequests found = ladders.get(0).cores().map(CoreRequests::new).orElse(null);
    for (Ladder ladder : ladders) {
      if (found == null ? ladder.cores().isPresent() : !found.isSame(ladder)) {
        throw new ScheduleException("the ladders of the policy have different cores");
      }
    }
    if (running == 0) {
      onCores = found;
    } else if (onCores == null ? found != null : !onCores.isSame(ladders.get(0))) {
      throw new ScheduleException("the policy has other cores than the running requests");
    }
  }

  private static Queue queueOf(Policy policy, Queue[] queues, String requestClass) {
    Queue forAll = null;
    for (Queue queue : queues) {
      if (Objects.equals(queue.requestClass, requestClass)) {
        return queue;
      }
      forAll = queue.requestClass == null ? queue : forAll;
    }
    if (forAll == null) {
      // It throws the exception that names the class.
      Ladder none = requestClass == null ? policy.ladder() : policy.ladder(requestClass);
      throw new AssertionError(none);
    }
    return forAll;
  }

  /** Whether the end of a delay comes before the first timer. */
  private boolean isStartFirst() {
    boolean isSet = startNs != Request.UNSET;
    long firstNs = timers.firstNs();
    boolean isTick = timers.firstPhase() == ScheduleTimers.TICK;
    return isSet && (startNs < firstNs || (startNs == firstNs && isTick));
  }

  /** The queue of the waiting request that arrived first, or null. */
  private Queue firstWaiting() {
    Queue first = null;
    for (Queue queue : queues) {
      if (!queue.waiting.isEmpty() && (first == null || isEarlier(queue, first))) {
        first = queue;
      }
    }
    return first;
  }

  /** Starts the waiting request that arrived first, unless starts depend on the use. */
  private void release(long nowNs) {
    Queue first = firstWaiting();
    if (first != null && !first.countsUse) {
      start(first, nowNs);
    }
  }

  private static boolean isEarlier(Queue one, Queue other) {
    return one.waiting.peek().number < other.waiting.peek().number;
  }

  /** Starts all waiting requests that may start; sets the timer of the next end of a delay. */
  private void startWaiting(long nowNs) {
    if (onCores != null) {
      startOnCores(nowNs);
      return;
    }
    while (true) {
      Queue first = null;
      startNs = Request.UNSET;
      for (Queue queue : queues) {
        long atNs = queue.waiting.isEmpty() ? Request.UNSET : startOf(queue, nowNs);
        boolean comesFirst =
            atNs != Request.UNSET
                && (first == null
                    || atNs < startNs
                    || (atNs == startNs && isEarlier(queue, first)));
        if (comesFirst) {
          first = queue;
          startNs = atNs;
        }
      }
      if (first == null || startNs > nowNs) {
        return;
      }
      start(first, nowNs);
    }
  }

  /** When the first request of a queue starts if nothing else happens; UNSET: not before. */
  private long startOf(Queue queue, long nowNs) {
    if (queue.countsUse) {
      return queue.ladder.sharing().starts(usedPpm) ? nowNs : Request.UNSET;
    }
    Request request = queue.waiting.peek();
    long waitedUs = (nowNs - request.arrivedNs) / NS_PER_US;
    queue.ladder.peek(inSystem, waitedUs, 0, answer);
    if (answer.start() == Start.NOW || (answer.start() == Start.ON_EXIT && running == 0)) {
      return nowNs;
    }
    boolean waits = answer.start() == Start.WAIT;
    return waits ? request.arrivedNs + (waitedUs + answer.waitUs()) * NS_PER_US : Request.UNSET;
  }

  /**
   * Starts waiting requests in order of arrival, as cores are free; sets the timer of the age at which
   * the first one wants a higher rung.
   */
  private void startOnCores(long nowNs) {
    startNs = Request.UNSET;
    for (Queue queue = firstWaiting(); queue != null; queue = firstWaiting()) {
      Request first = queue.waiting.peek();
      int wanted = onCores.wanted(first, inSystem, nowNs);
      int rung = onCores.rungToStart(first, wanted, inSystem, nowNs);
      if (rung == CorePlaces.NOWHERE) {
        startNs = CoreRequests.wantsMoreNs(first, wanted, inSystem, nowNs);
        return;
      }
      queue.ladder.countOutside(inSystem);
      countLookup(first, wanted);
      start(queue, rung, nowNs);
    }
  }

  /** Moves a request to another core if it must; then others may start. */
  private void tickOnCore(Request request, long nowNs) {
    Queue first = firstWaiting();
    request.queue.ladder.countOutside(CoreRequests.loadOf(request, inSystem));
    countLookup(request, onCores.wanted(request, inSystem, nowNs));
    Request firstWaiting = first == null ? null : first.waiting.peek();
    int rung = onCores.rungToMove(request, firstWaiting, inSystem, nowNs);
    setTick(request, nowNs);
    if (rung != CorePlaces.NOWHERE) {
      onCores.move(request, rung, nowNs);
      ++counts.climbs;
      move(request, rung, Decision.Kind.CLIMB, nowNs);
      startWaiting(nowNs);
    }
  }

  private void start(Queue queue, long nowNs) {
    start(queue, CorePlaces.NOWHERE, nowNs);
  }

  /** Starts the first request of a queue on a core of a rung, or on the rung of its look-up. */
  private void start(Queue queue, int coreRung, long nowNs) {
    Request request = queue.waiting.remove();
    ++running;
    ++counts.started;
    counts.waited += nowNs > request.arrivedNs ? 1 : 0;
    request.startedNs = request.rungNs = nowNs;
    request.loadAtStart = inSystem;
    request.waitedUs = (nowNs - request.arrivedNs) / NS_PER_US;
    if (onCores == null) {
      request.rung = lookUp(request, nowNs);
    } else {
      request.rung = coreRung;
      onCores.start(request, coreRung, nowNs);
    }
    countUse(request, 1);
    setTick(request, nowNs);
    request.cutNs = queue.ladder.overload().cutNs(request.arrivedNs, request.startedNs);
    if (request.cutNs != Request.UNSET) {
      timers.set(request.cutNs, ScheduleTimers.CUT, request);
    }
    decide(Decision.Kind.START, request);
  }

  /** Sets the first tick after now; a request that gave up needs none. */
  private void setTick(Request request, long nowNs) {
    request.tickNs = Request.UNSET;
    if (!request.hasGivenUp) {
      long quantumNs = request.queue.ladder.quantumUs() * NS_PER_US;
      long ticks = (nowNs - request.startedNs) / quantumNs + 1;
      request.tickNs = request.startedNs + ticks * quantumNs;
      timers.set(request.tickNs, ScheduleTimers.TICK, request);
    }
  }

  private void tick(Request request, long nowNs) {
    ++counts.ticks;
    counts.lateNs += nowNs - request.tickNs;
    request.lateNs += nowNs - request.tickNs;
    if (onCores != null) {
      tickOnCore(request, nowNs);
      return;
    }
    int rung = lookUp(request, nowNs);
    boolean mayDescend = request.hasGivenUp || !request.queue.neverDescends;
    if (rung > request.rung) {
      ++counts.climbs;
      move(request, rung, Decision.Kind.CLIMB, nowNs);
    } else if (rung < request.rung && mayDescend) {
      ++counts.descents;
      move(request, rung, Decision.Kind.DESCEND, nowNs);
    }
    setTick(request, nowNs);
  }

  /** The rung of a running request, which may give up now. */
  private int lookUp(Request request, long nowNs) {
    Ladder ladder = request.queue.ladder;
    long executedUs = (nowNs - request.startedNs) / NS_PER_US;
    if (ladder.sharing().givesUp(request.waitedUs, executedUs)) {
      counts.gaveUp += request.hasGivenUp ? 0 : 1;
      request.hasGivenUp = true;
      return 0;
    }
    long load = request.queue.rereads ? inSystem : request.loadAtStart;
    int rung = ladder.rung(load, request.waitedUs, executedUs);
    countLookup(request, rung);
    return rung;
  }

  private void countLookup(Request request, int rung) {
    ++request.queue.lookups[rung][0];
  }

  private void move(Request request, int rung, Decision.Kind kind, long nowNs) {
    countUse(request, -1);
    request.grantedNs = request.grantedUntil(nowNs);
    request.rungNs = nowNs;
    request.rung = rung;
    request.isBoosted = kind == Decision.Kind.CLIMB && mayBoost(request);
    counts.boosts += request.isBoosted ? 1 : 0;
    countUse(request, 1);
    decide(kind, request);
  }

  private boolean mayBoost(Request request) {
    Boost boost = request.queue.boost;
    boolean isLast = request.rung == request.queue.ladder.rungs().size() - 1;
    return boost != null
        && isLast
        && boostedPpm + costPpm(request, boost.unit) < boost.belowPpm;
  }

  /** Adds what a running request uses, or subtracts it. */
  private void countUse(Request request, int sign) {
    Ladder ladder = request.queue.ladder;
    if (request.isBoosted) {
      boostedPpm += sign * costPpm(request, request.queue.boost.unit);
    }
    if (request.queue.countsUse) {
      usedPpm += sign * costPpm(request, (int) ladder.sharing().startUnit().getAsLong());
    }
  }

  private static long costPpm(Request request, int unit) {
    return request.queue.ladder.settings().get(request.rung).costPpm.get(unit);
  }

  private void decide(Decision.Kind kind, Request request) {
    decisions.add(kind, request);
  }
}
